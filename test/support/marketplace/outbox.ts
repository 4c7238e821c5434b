import type pg from 'pg';
import type { Published } from '../deployment.ts';

const ROWS = 500;

interface Batch {
  numbers: string[] | null;
  keys: string[];
  events: string[];
}

/** Puts every listing into the outbox. */
export async function loadEverything(pool: pg.Pool): Promise<void> {
  await pool.query('INSERT INTO outbox (listing_id) SELECT id FROM listings ORDER BY id');
}

/** The events that a relay would publish next. `numbers` is null if there are none. */
export async function takeEvents(session: pg.ClientBase): Promise<Batch> {
  const { rows } = await session.query<Batch>('SELECT * FROM listing_events($1)', [ROWS]);
  return rows[0] as Batch;
}

/** Does the work of a relay in this process, until the outbox is empty. */
export async function drainOutbox(
  pool: pg.Pool,
  publish: (records: readonly Published[]) => Promise<void>,
): Promise<void> {
  const session = await pool.connect();
  try {
    for (;;) {
      const { numbers, keys, events } = await takeEvents(session);
      if (numbers === null) return;
      await publish(events.map((value, index) => ({ key: keys[index] as string, value })));
      await session.query('DELETE FROM outbox WHERE number = ANY($1)', [numbers]);
    }
  } finally {
    // Ending the session releases its lock.
    session.release(true);
  }
}

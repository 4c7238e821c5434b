import { setTimeout as sleep } from 'node:timers/promises';
import { Random, simpleDatabaseChange } from '@vitrine/fixtures';
import type pg from 'pg';
import type { SimpleDatabase } from './simple-database.ts';

const SESSIONS = 3;
/** Errors after which an application repeats its transaction: deadlock, violated reference, serialization. */
const EXPECTED = new Set(['40P01', '23503', '40001', '23505']);
/**
 * The class of errors that a server reports while it stops or starts. Connection errors have no such code.
 */
const SERVER_STOPS = '57';
const LONGEST_PAUSE_MS = 30;

export interface RunningChanges {
  /** The number of committed transactions. */
  committed(): number;
  /** Begins no more transactions, and resolves when all are committed, refused or lost with their server. */
  stop(): Promise<void>;
}

/**
 * Runs random transactions in several sessions at the same time. Some transactions pause between their
 * statements, so that they overlap. A session whose server is gone continues with its next transaction when the
 * server is back.
 */
export function applyChanges(
  { pool, today }: SimpleDatabase,
  { seed, count }: { seed: number; count: number },
): RunningChanges {
  let isOver = false;
  let committed = 0;
  const session = async (random: Random) => {
    while (!isOver) {
      const statements = simpleDatabaseChange(random, { count, today });
      const pauses = statements.map(() => (random.chance(0.3) ? random.integer(1, LONGEST_PAUSE_MS) : 0));
      const client = await connection(pool);
      try {
        await client.query('BEGIN');
        for (const [index, { text, values }] of statements.entries()) {
          await client.query(text, values);
          await sleep(pauses[index]);
        }
        await client.query('COMMIT');
        committed++;
        client.release();
        await sleep(random.integer(0, LONGEST_PAUSE_MS));
      } catch (error) {
        const { code } = error as { code?: string };
        if (code !== undefined && EXPECTED.has(code)) await client.query('ROLLBACK').catch(() => undefined);
        client.release(true);
        if (code !== undefined && !EXPECTED.has(code) && isDatabaseError(code)) throw error;
      }
    }
  };
  const sessions = Array.from({ length: SESSIONS }, (_, index) => session(new Random(seed * 10 + index)));
  const ended = Promise.all(sessions).then(() => undefined);
  // The caller awaits this promise later. Until then, a failure must not end the process.
  ended.catch(() => undefined);
  const stop = () => {
    isOver = true;
    return ended;
  };
  return { committed: () => committed, stop };
}

const isDatabaseError = (code: string): boolean =>
  /^[0-9A-Z]{5}$/.test(code) && !code.startsWith(SERVER_STOPS);

/** A session, as soon as the server accepts one. */
async function connection(pool: pg.Pool): Promise<pg.PoolClient> {
  for (;;) {
    try {
      return await pool.connect();
    } catch (error) {
      if (pool.ending) throw error;
      await sleep(100);
    }
  }
}

import type pg from 'pg';
import type { Published } from '../deployment.ts';

/** Maximum number of changes per transaction. */
const BATCH = 500;
/** Below the maximum number of dates in an event (asyncapi.yaml). */
const DATES_PER_EVENT = 1_000;
const LOCK = 36;

export interface RelayOptions {
  /** The `source` of the events. */
  source?: string;
  /**
   * Where the relay takes its versions from. The clock, in milliseconds, is one of the mistakes that the tests
   * make.
   */
  versions?: 'sequence' | 'clock';
}

interface Listing {
  id: string;
  epoch: number;
}

interface Day {
  date: string;
}

/**
 * Publishes the listings that the outbox of the marketplace names. The relay takes rows, then versions, and only
 * then reads the listings. A change that the read does not see has a row of its own, which a later call takes
 * with a higher version. A lock ensures that only one relay works at a time. The transaction deletes the rows
 * after the acknowledgment of the events, so a killed relay publishes them again with higher versions.
 */
export class OutboxRelay {
  readonly #pool: pg.Pool;
  readonly #publish: (records: readonly Published[]) => Promise<void>;
  readonly #source: string;
  readonly #versions: 'sequence' | 'clock';

  constructor(
    pool: pg.Pool,
    publish: (records: readonly Published[]) => Promise<void>,
    { source = '/marketplace/relay', versions = 'sequence' }: RelayOptions = {},
  ) {
    this.#pool = pool;
    this.#publish = publish;
    this.#source = source;
    this.#versions = versions;
  }

  /** Puts every listing into the outbox. */
  async loadAll(): Promise<void> {
    await this.#pool.query(
      'INSERT INTO outbox (listing_id, version_epoch) SELECT id, version_epoch FROM listings ORDER BY id',
    );
  }

  /** Publishes until the outbox is empty. @returns the number of events */
  async drain(): Promise<number> {
    let events = 0;
    for (;;) {
      const published = await this.#batch();
      if (published === undefined) return events;
      events += published;
    }
  }

  async #batch(): Promise<number | undefined> {
    const session = await this.#pool.connect();
    try {
      await session.query('BEGIN');
      await session.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      const { rows: taken } = await session.query<Listing>(
        `WITH taken AS (
           DELETE FROM outbox WHERE number IN (SELECT number FROM outbox ORDER BY number LIMIT $1)
           RETURNING listing_id, version_epoch)
         SELECT listing_id AS id, max(version_epoch) AS epoch FROM taken GROUP BY listing_id ORDER BY id`,
        [BATCH],
      );
      const records = taken.length > 0 ? await this.#recordsOf(session, taken) : [];
      await this.#publish(records);
      await session.query('COMMIT');
      return taken.length > 0 ? records.length : undefined;
    } catch (error) {
      await session.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      session.release();
    }
  }

  async #recordsOf(session: pg.PoolClient, taken: readonly Listing[]): Promise<Published[]> {
    const versions = await this.#take(session, taken.length);
    const { rows } = await session.query<{ id: string; listing: { availability: Day[] } }>(
      'SELECT id, listing FROM published_listings WHERE id = ANY($1)',
      [taken.map(({ id }) => id)],
    );
    const listings = new Map(rows.map(({ id, listing }) => [id, listing]));
    const records: Published[] = [];
    for (const [index, { id, epoch }] of taken.entries()) {
      const version = versions[index] as number;
      const listing = listings.get(id);
      if (!listing) {
        records.push(this.#record('removed', id, epoch, version, { reason: 'deleted' }));
        continue;
      }
      const availability = listing.availability.slice(0, DATES_PER_EVENT);
      records.push(this.#record('snapshot', id, epoch, version, { listing: { ...listing, availability } }));
      for (let first = DATES_PER_EVENT; first < listing.availability.length; first += DATES_PER_EVENT) {
        const [next = version] = await this.#take(session, 1);
        const dates = listing.availability.slice(first, first + DATES_PER_EVENT);
        records.push(this.#record('availability_changed', id, epoch, next, { dates }));
      }
    }
    return records;
  }

  async #take(session: pg.PoolClient, count: number): Promise<number[]> {
    if (this.#versions === 'clock') return Array.from({ length: count }, () => Date.now());
    const { rows } = await session.query<{ version: string }>(
      "SELECT nextval('listing_versions') AS version FROM generate_series(1, $1)",
      [count],
    );
    return rows.map(({ version }) => Number(version));
  }

  #record(type: string, id: string, epoch: number, version: number, data: object): Published {
    return eventRecord({ source: this.#source, type, id, epoch, version, data });
  }
}

interface EventParts {
  source: string;
  /** The last part of the event type. */
  type: string;
  /** The id of the listing. */
  id: string;
  epoch?: number;
  version: number;
  /** The members of `data` beside the version. */
  data: object;
}

/** The record of an event of the marketplace that happens now. */
export function eventRecord({ source, type, id, epoch = 0, version, data }: EventParts): Published {
  const event = {
    specversion: '1.0',
    id: `${id}/${epoch}/${version}/${source}`,
    source,
    type: `marketplace.listing.${type}`,
    subject: id,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    data: { version, ...(epoch > 0 && { version_epoch: epoch }), ...data },
  };
  return { key: id, value: JSON.stringify(event) };
}

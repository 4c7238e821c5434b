import { type Item, offersOf } from '@vitrine/feed-index';
import { startPostgres } from '@vitrine/test/postgres';
import type pg from 'pg';
import { OWNER, postgresPool } from './postgres-queries.ts';
import { cubeOf, INDEXES, SCHEMA } from './postgres-schema.ts';

/** Settings for a machine with at least 8 GB, and for data that fits in memory. */
const SETTINGS = {
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  random_page_cost: '1.1',
  // JIT compilation takes longer than these queries.
  jit: 'off',
};

export interface PostgresDataset {
  /** This process's connections. */
  pool: pg.Pool;
  port: number;
  version: string;
  stop(): Promise<void>;
}

/**
 * Fills a separate PostgreSQL with items. If PostgreSQL is not available, it returns the reason.
 * @param items returns the same items with each call
 */
export async function startPostgresDataset(
  items: () => Iterable<Item>,
  signal: AbortSignal,
  tell: (message: string) => void,
): Promise<PostgresDataset | string> {
  const server = await startPostgres({ settings: SETTINGS, owner: OWNER, signal });
  if (typeof server === 'string') return server;
  const pool = postgresPool(server.port);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= server.stop().then(() => pool.end());
    return stopping;
  };
  // Building an index on a large table takes longer than an interrupted bench may take to end.
  signal.addEventListener('abort', () => void stop().catch(() => undefined), { once: true });
  try {
    const start = performance.now();
    await pool.query(SCHEMA);
    for (const [table, linesOf] of Object.entries(TABLES)) await server.copy(table, rows(items(), linesOf));
    await pool.query(INDEXES);
    await pool.query('VACUUM (ANALYZE)');
    tell(`the items are in PostgreSQL after ${Math.round((performance.now() - start) / 1_000)} s`);
    const { rows: versions } = await pool.query<{ server_version: string }>('SHOW server_version');
    return { pool, port: server.port, version: versions[0]?.server_version ?? '', stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const CENTS = 100;

/** The lines of an item in COPY format, by table. */
const TABLES: Record<string, (item: Item, key: number) => string[]> = {
  items: ({ id, published_at, ad_type, city, category, sub_category, point, calendar }, key) => [
    line(
      key,
      id,
      published_at,
      ad_type,
      city,
      category,
      sub_category,
      point && cubeOf(point.lat, point.lon),
      `{${offersOf({ calendar }).map(({ date }) => date)}}`,
    ),
  ],
  contents: ({ feed_item, calendar }, key) => [
    line(key, JSON.stringify(feed_item), JSON.stringify(calendar)),
  ],
  calendar: ({ city, calendar }, key) =>
    offersOf({ calendar }).map(({ date, price }) => line(key, city, date, Math.round(price * CENTS))),
};

const line = (...columns: (string | number | undefined)[]): string =>
  columns.map((value) => (value === undefined ? '\\N' : String(value).replaceAll('\\', '\\\\'))).join('\t');

function* rows(items: Iterable<Item>, linesOf: (item: Item, key: number) => string[]): Generator<string> {
  let key = 0;
  for (const item of items) yield* linesOf(item, key++);
}

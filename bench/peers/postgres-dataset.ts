import type { ItemDocument } from '@vitrine/feed-index';
import pg from 'pg';
import { CALENDAR_DAYS, datasetItems } from '../dataset.ts';
import { OWNER, startPostgresServer } from './postgres-server.ts';

const CONNECT_TIMEOUT_MS = 10_000;

export interface PostgresDataset {
  pool: pg.Pool;
  version: string;
  stop(): Promise<void>;
}

/**
 * The natural schema. `items` has a column per filter, and the served JSON as text. `offers` has one row per
 * open date. A short key joins the two tables, as is usual.
 */
const SCHEMA = `
  CREATE EXTENSION cube;
  CREATE EXTENSION earthdistance;
  -- The sphere of Elasticsearch, so that both sides find the same items near a point.
  CREATE OR REPLACE FUNCTION earth() RETURNS float8 LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS 'SELECT 6371008.7714::float8';
  CREATE TABLE items (
    key integer NOT NULL,
    id text NOT NULL,
    published_at bigint NOT NULL,
    ad_type text,
    city text,
    category text,
    position earth,
    feed_item text NOT NULL,
    calendar text NOT NULL
  );
  CREATE TABLE offers (item integer NOT NULL, date date NOT NULL, price double precision NOT NULL);`;

/** Creating the indexes after the rows is faster. Each index serves a query type (bench/README.md). */
const INDEXES = `
  ALTER TABLE items ADD PRIMARY KEY (key);
  ALTER TABLE items ADD UNIQUE (id);
  ALTER TABLE offers ADD PRIMARY KEY (item, date) INCLUDE (price);
  CREATE INDEX ON items (published_at DESC, id);
  CREATE INDEX ON items (city, published_at DESC, id) INCLUDE (key);
  CREATE INDEX ON items (city, category, published_at DESC, id) INCLUDE (key);
  CREATE INDEX ON items USING gist (position);
  CREATE INDEX ON offers (date, item) INCLUDE (price);`;

/**
 * Returns the dataset of `count` items in a separate PostgreSQL, or the reason why PostgreSQL is not
 * available.
 */
export async function startPostgresDataset(
  count: number,
  signal: AbortSignal,
  tell: (message: string) => void,
): Promise<PostgresDataset | string> {
  const server = await startPostgresServer(signal);
  if (typeof server === 'string') return server;
  const pool = new pg.Pool({
    host: '127.0.0.1',
    port: server.port,
    user: OWNER,
    database: 'postgres',
    max: 8,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // The server closes idle sessions when it stops.
  pool.on('error', () => undefined);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= server.stop().then(() => pool.end());
    return stopping;
  };
  // An index of a large table takes longer to build than an interrupted bench may take to end.
  signal.addEventListener('abort', () => void stop().catch(() => undefined), { once: true });
  try {
    const start = performance.now();
    await pool.query(SCHEMA);
    await server.copy(
      'items (key, id, published_at, ad_type, city, category, position, feed_item, calendar)',
      rows(count, itemRow),
    );
    await server.copy('offers (item, date, price)', rows(count, offerRows));
    await pool.query(INDEXES);
    await pool.query('VACUUM (ANALYZE)');
    tell(`${count} items are in PostgreSQL after ${Math.round((performance.now() - start) / 1_000)} s`);
    const { rows: versions } = await pool.query<{ server_version: string }>('SHOW server_version');
    return { pool, version: versions[0]?.server_version ?? '', stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function* rows(count: number, linesOf: (item: ItemDocument, key: number) => string): Generator<string> {
  let key = 0;
  for (const item of datasetItems(count, CALENDAR_DAYS)) {
    const lines = linesOf(item, key++);
    if (lines) yield lines;
  }
}

function itemRow(item: ItemDocument, key: number): string {
  const { id, published_at, ad_type, city, category, point, feed_item, calendar } = item;
  const position = point ? earth(point.lat, point.lon) : undefined;
  const columns = [
    key,
    id,
    published_at,
    ad_type,
    city,
    category,
    position,
    JSON.stringify(feed_item),
    JSON.stringify(calendar),
  ];
  return columns
    .map((value) => (value === undefined ? '\\N' : String(value).replaceAll('\\', '\\\\')))
    .join('\t');
}

const offerRows = ({ offers }: ItemDocument, key: number): string =>
  offers.map(({ date, price }) => `${key}\t${date}\t${price}`).join('\n');

/** The result of ll_to_earth in COPY format: the point on the sphere, in meters from its center. */
function earth(lat: number, lon: number): string {
  const [north, east] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180];
  const radius = 6_371_008.7714;
  const axes = [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
  return `(${axes.map((axis) => axis * radius).join(',')})`;
}

import pg from 'pg';

/**
 * The superuser of the bench's PostgreSQL, which accepts connections from this machine without a password.
 */
export const OWNER = 'bench';
/** A request runs up to three statements at the same time. More connections than this share two cores. */
const CONNECTIONS = 8;
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * PostgreSQL would otherwise plan a prepared statement without its values. For `open_dates @> $1` it then
 * assumes that few items match, and reads all of them instead of the first ones of the order.
 */
const OPTIONS = '-c plan_cache_mode=force_custom_plan';

/** A pool of connections to the PostgreSQL on this port of this machine. */
export function postgresPool(port: number): pg.Pool {
  const pool = new pg.Pool({
    host: '127.0.0.1',
    port,
    user: OWNER,
    database: 'postgres',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 0,
    options: OPTIONS,
  });
  // The server closes idle sessions when it stops.
  pool.on('error', () => undefined);
  return pool;
}

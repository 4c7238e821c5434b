import { dateInSaoPaulo, SIMPLE_DATABASE_SCHEMA, simpleDatabaseRows } from '@vitrine/fixtures';
import { type PostgresServer, startPostgres } from '../postgres.ts';

/** Debezium reads the write-ahead log. Nothing that was committed may be lost when the server is killed. */
const SETTINGS = { wal_level: 'logical', fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };

/** A PostgreSQL server that has the tables of SIMPLE_DATABASE_SCHEMA and is ready for Debezium. */
export interface SimpleDatabase extends PostgresServer {
  /** The first day of the calendars. */
  today: string;
}

/**
 * Starts a database with random listings.
 * @returns the reason, if PostgreSQL is not available
 */
export async function startSimpleDatabase(options: {
  seed: number;
  /** Number of listings. */
  count: number;
}): Promise<SimpleDatabase | string> {
  const server = await startPostgres({ settings: SETTINGS });
  if (typeof server === 'string') return server;
  const { pool } = server;
  // The queries of a killed server's sessions fail with their own errors.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const today = dateInSaoPaulo(new Date());
  try {
    await pool.query(SIMPLE_DATABASE_SCHEMA);
    for (const { table, lines } of simpleDatabaseRows({ ...options, today })) await server.copy(table, lines);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, today };
}

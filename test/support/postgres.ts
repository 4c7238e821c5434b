import {
  type PostgresServer as OwnedPostgres,
  type PostgresOptions,
  startPostgres as startServer,
} from '@vitrine/engines/sources';
import pg from 'pg';

export interface PostgresServer extends OwnedPostgres {
  /** Connections of this process, as the owner of the database. `stop` ends them. */
  readonly pool: pg.Pool;
}

/**
 * Starts a new PostgreSQL with a pool of connections, or returns the reason why PostgreSQL is not available.
 * The server and its data never outlive this process.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer | string> {
  const server = await startServer(options);
  if (typeof server === 'string') return server;
  const pool = new pg.Pool({ connectionString: server.url });
  // A server that stops closes idle connections. The next query fails with its own error.
  pool.on('error', () => undefined);
  return {
    ...server,
    pool,
    async stop() {
      await server.stop();
      await pool.end();
    },
  };
}

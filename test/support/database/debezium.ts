import { readFileSync } from 'node:fs';
import type { Deployment } from '../deployment.ts';
import { eventually } from '../service-process.ts';
import type { SimpleDatabase } from './simple-database.ts';

/** The files that docs/start/debezium.md explains. */
export const DEBEZIUM_FILES = new URL('../../../docs/start/debezium/', import.meta.url);

const CAUGHT_UP_WITHIN_MS = 240_000;

export interface Connector {
  name: string;
  config: Record<string, string>;
}

/** The outbox's connector, which writes to the events topic. */
export const outboxConnector = (database: SimpleDatabase, { topic }: Deployment): Connector =>
  documentedConnector('outbox-connector.json', database, {
    'transforms.outbox.route.topic.replacement': topic,
  });

/**
 * The connector for the rows.
 * @param prefix the first part of its topics: `<prefix>.public.listings` and `<prefix>.public.calendar`
 */
export const rowsConnector = (database: SimpleDatabase, prefix: string): Connector =>
  documentedConnector('rows-connector.json', database, { 'topic.prefix': prefix });

/** A connector from the documentation, with the settings that differ for this database and its topics. */
function documentedConnector(
  file: string,
  { port }: SimpleDatabase,
  changes: Record<string, string>,
): Connector {
  const { name, config } = JSON.parse(readFileSync(new URL(file, DEBEZIUM_FILES), 'utf8')) as Connector;
  const short = { 'heartbeat.interval.ms': '1000', 'retriable.restart.connector.wait.ms': '1000' };
  return { name, config: { ...config, 'database.port': String(port), ...short, ...changes } };
}

/**
 * Resolves when Debezium has read everything that is committed now, and Kafka has acknowledged all of it.
 * Only then, and after the snapshot, does Debezium confirm a position.
 */
export async function untilDebeziumCaughtUp({ pool }: SimpleDatabase, slot: string): Promise<void> {
  // A new slot confirms the position at which it was created. It exists after the first round.
  for (const round of ['first', 'second']) {
    const { rows } = await pool.query<{ end: string }>(
      "SELECT pg_logical_emit_message(true, 'heartbeat', '') AS end",
    );
    await eventually(
      `Debezium confirms the ${round} message`,
      async () => {
        const { rowCount } = await pool.query(
          'SELECT 1 FROM pg_replication_slots WHERE slot_name = $1 AND confirmed_flush_lsn >= $2',
          [slot, rows[0]?.end],
        );
        return rowCount === 1;
      },
      CAUGHT_UP_WITHIN_MS,
    );
  }
}

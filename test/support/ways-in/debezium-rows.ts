import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startConnect } from '@vitrine/engines/sources';
import { listingEvent } from '@vitrine/fixtures';
import { DEBEZIUM_FILES, rowsConnector, untilDebeziumCaughtUp } from '../database/debezium.ts';
import type { FeedItem } from '../equality/database-items.ts';
import {
  REMEMBER_DELETED_DAYS,
  simpleDatabaseItems,
  withoutDeletedDays,
} from '../equality/simple-database-items.ts';
import { cli } from '../in-process.ts';
import { createSourceTopic, ingestEnv } from '../ingest.ts';
import { startService } from '../service-process.ts';
import { processPart, type StartWay } from './way.ts';

const MAPPING = 'demo/src/database/mapping.ts';
/** The exit code of `reconcile` if it found and corrected something (docs/reference/cli.md). */
const DIFFERENCES = 3;

/**
 * Debezium publishes the rows, and the ingest maps them (docs/start/debezium.md). The start of the connector
 * loads every listing.
 */
export const debeziumRows: StartWay = async (database, deployment) => {
  await database.pool.query(REMEMBER_DELETED_DAYS);
  await database.run(new URL('rows.sql', DEBEZIUM_FILES));
  const topics = [
    await createSourceTopic(deployment, 'public.listings'),
    await createSourceTopic(deployment, 'public.calendar'),
  ];
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-reconcile-'));
  const env = { ...ingestEnv(deployment), SOURCE_TOPIC_PREFIX: deployment.prefix };
  const ingest = processPart('ingest', () => startService('ingest', env, ['--mapping', MAPPING]));
  const connect = await startConnect({ brokers: env.KAFKA_BROKERS });
  const { name, config } = rowsConnector(database, deployment.prefix);
  return {
    parts: [{ name: 'Connect', kill: connect.kill, start: connect.start }, ingest],
    load: async () => {
      await connect.putConnector(name, config);
      await untilDebeziumCaughtUp(database, 'vitrine_rows');
    },
    // Debezium begins an interrupted snapshot again, and then reads from the new snapshot's beginning.
    // Debezium therefore never reports the deletion of a listing or a day that the first attempt has
    // published.
    repair: async () => {
      const { rows } = await database.pool.query<{ id: string }>(
        'SELECT id FROM listings WHERE deleted_at IS NULL ORDER BY id COLLATE "C"',
      );
      const items = await simpleDatabaseItems(database.pool);
      const source = join(folder, 'source.jsonl');
      await writeFile(
        source,
        rows.map(({ id }) => `${JSON.stringify(lineOf(id, items.get(id)))}\n`).join(''),
      );
      const options = ['--settle', '0', '--publish', '--yes', '--max-removals', '100%'];
      const { code, output } = await cli(deployment, ['reconcile', '--source', source, ...options]);
      if (code !== 0 && code !== DIFFERENCES) throw new Error(output);
    },
    caughtUp: async (withinMs) => {
      await untilDebeziumCaughtUp(database, 'vitrine_rows');
      for (const topic of topics) await topic.ingested({ withinMs });
    },
    served: withoutDeletedDays,
    stop: async () => {
      await ingest.stop();
      await connect.stop();
      await rm(folder, { recursive: true });
    },
  };
};

/** A line for `reconcile`: a whole listing without a version, or only the id of a listing that is not public. */
function lineOf(id: string, item: FeedItem | undefined): object {
  if (!item) return { id };
  const { id: _, currency: __, ...listing } = item;
  const event = listingEvent(id, 1, new Date(0), { type: 'snapshot', data: { listing } });
  const { version: ___, ...data } = event.data;
  return { ...event, data };
}

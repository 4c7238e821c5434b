import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startConnect } from '@vitrine/engines/sources';
import { DEBEZIUM_FILES, rowsConnector, untilDebeziumCaughtUp } from '../database/debezium.ts';
import { REMEMBER_DELETED_DAYS, withoutDeletedDays } from '../equality/simple-database-items.ts';
import { createSourceTopic, ingestEnv } from '../ingest.ts';
import { startService } from '../service-process.ts';
import { processPart, type StartWay } from './way.ts';

/** Debezium publishes the rows, and the ingest maps them (docs/start/debezium.md). The connector's start loads. */
export const debeziumRows: StartWay = async (database, deployment) => {
  await database.pool.query(REMEMBER_DELETED_DAYS);
  await database.run(new URL('rows.sql', DEBEZIUM_FILES));
  const topics = [
    await createSourceTopic(deployment, 'public.listings'),
    await createSourceTopic(deployment, 'public.calendar'),
  ];
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-mapping-'));
  const mapping = join(folder, 'rows-mapping.ts');
  const documented = await readFile(new URL('rows-mapping.ts', DEBEZIUM_FILES), 'utf8');
  await writeFile(mapping, documented.replaceAll("'marketplace.", `'${deployment.prefix}.`));
  const env = ingestEnv(deployment);
  const ingest = processPart('ingest', () => startService('ingest', env, ['--mapping', mapping]));
  const connect = await startConnect({ brokers: env.KAFKA_BROKERS });
  const { name, config } = rowsConnector(database, deployment.prefix);
  return {
    parts: [{ name: 'Connect', kill: connect.kill, start: connect.start }, ingest],
    load: () => connect.putConnector(name, config),
    caughtUp: async () => {
      await untilDebeziumCaughtUp(database, 'vitrine_rows');
      for (const topic of topics) await topic.ingested();
    },
    served: withoutDeletedDays,
    stop: async () => {
      await ingest.stop();
      await connect.stop();
      await rm(folder, { recursive: true });
    },
  };
};

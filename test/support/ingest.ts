import { type IngestOptions, ingestSettings, loadMapping, type Mapping, startIngest } from '@vitrine/ingest';
import { createTopic, type FetchedRecord } from '@vitrine/kafka';
import { readSettings } from '@vitrine/runtime/settings';
import type { Deployment, Published } from './deployment.ts';
import { keepEnd, keptLog } from './kept-log.ts';
import { readTopic } from './read-topic.ts';
import { eventually, metricOf } from './service-process.ts';

export interface RunningIngest {
  /** Scheme, host and port of health and metrics. */
  admin: string;
  failed: Promise<Error>;
  /** Returns the reasons why the ingest is not ready, or none if it is ready. */
  reasons(): Promise<string[]>;
  metric(name: string, labels?: string): Promise<number>;
  stop(): Promise<void>;
}

/** The settings of an ingest into the events topic of a deployment. */
export const ingestEnv = ({
  env,
  prefix,
}: Deployment): Record<string, string> & { KAFKA_BROKERS: string } => ({
  ...env,
  INGEST_GROUP: `${prefix}-ingest`,
});

/** The records in the ingest's dead-letter topic. */
export const ingestDeadLetters = ({ env, topic }: Deployment): Promise<FetchedRecord[]> =>
  readTopic(env, `${topic}.ingest-dead-letters`);

/** Starts the ingest inside the test's process. @param mapping a mapping, or the file of its module */
export async function runIngest(
  deployment: Deployment,
  mapping: Mapping<never, never> | string,
  env: Record<string, string> = {},
  options?: IngestOptions,
): Promise<RunningIngest> {
  const settings = readSettings(ingestSettings, { ...ingestEnv(deployment), ...env });
  const log = keptLog('ingest');
  const ingest = await startIngest(
    settings,
    typeof mapping === 'string' ? await loadMapping(mapping) : (mapping as Mapping),
    log,
    options,
  );
  keepEnd(log, ingest.failed);
  const admin = `http://127.0.0.1:${ingest.adminPort}`;
  return {
    admin,
    failed: ingest.failed,
    stop: ingest.stop,
    reasons: async () =>
      ((await (await fetch(`${admin}/health/ready`)).json()) as { reasons: string[] }).reasons,
    metric: (name, labels) => metricOf(admin, name, labels),
  };
}

/** A source topic, which a deployment has in addition to its events topic. */
export interface SourceTopic {
  name: string;
  publish(records: readonly Published[]): Promise<void>;
  /** Resolves when the ingest has committed everything in the topic. */
  ingested(options?: { group?: string; withinMs?: number | undefined }): Promise<void>;
}

/** Creates a source topic. @param name the part of the topic's name after the deployment's own name */
export async function createSourceTopic(
  { admin, kafka, prefix }: Deployment,
  name: string,
  partitions = 2,
  config: Record<string, string> = {},
): Promise<SourceTopic> {
  const topic = `${prefix}.${name}`;
  const configEntries = Object.entries({ 'max.message.bytes': '6000000', ...config }).map(
    ([name, value]) => ({
      name,
      value,
    }),
  );
  await createTopic(admin, { topic, numPartitions: partitions, replicationFactor: 1, configEntries });
  return {
    name: topic,
    publish: async (records) => {
      const producer = kafka.producer({ idempotent: true });
      await producer.connect();
      for (let i = 0; i < records.length; i += 500)
        await producer.send({ topic, messages: records.slice(i, i + 500) });
      await producer.disconnect();
    },
    ingested: async ({ group = `${prefix}-ingest`, withinMs } = {}) => {
      const groupId = `${group}-${topic}`;
      const isIngested = async () => {
        const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
        const committed = new Map(
          offsets?.partitions.map(({ partition, offset }) => [partition, Number(offset)]),
        );
        const ends = await admin.fetchTopicOffsets(topic);
        return ends.every(
          ({ partition, high }) => Math.max(0, committed.get(partition) ?? 0) >= Number(high),
        );
      };
      await eventually(`the group ${groupId} has committed all of ${topic}`, isIngested, withinMs);
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import type { Engines } from '@vitrine/engines';
import {
  activeBuilders,
  BUILDER_DEAD_AFTER_MS,
  type Builder,
  generationNames,
  type ItemDocument,
  isAlive,
  itemsAlias,
  type Registry,
  registryIndex,
} from '@vitrine/feed-index';
import {
  createKafka,
  createTopic,
  type FetchedRecord,
  type KafkaAdmin,
  type KafkaClient,
  KafkaError,
  kafkaConnection,
  type MessageHeaders,
} from '@vitrine/kafka';
import { removeMembers } from '@vitrine/kafka/testing';
import { createElasticsearch, elasticsearchConnection } from '@vitrine/runtime/elasticsearch';
import { createLog } from '@vitrine/runtime/log';
import { engines } from './engines.ts';
import { readTopic } from './read-topic.ts';
import { eventually } from './service-process.ts';

export interface Published {
  key: string | Buffer | null;
  value: string | Buffer | null;
  headers?: MessageHeaders;
  partition?: number;
  /** In epoch milliseconds. The default is the time of the publication. */
  timestamp?: string;
}

/** A deployment with its own topics, group and index prefix, on this test run's engines. */
export interface Deployment {
  env: Record<string, string> & { KAFKA_BROKERS: string };
  topic: string;
  deadLetterTopic: string;
  groupId: string;
  prefix: string;
  client: Client;
  kafka: KafkaClient;
  admin: KafkaAdmin;
  publish(records: readonly Published[]): Promise<void>;
  /**
   * Resolves when a generation's group has committed everything in the topic, and its items are searchable.
   */
  caughtUp(withinMs?: number, generation?: number): Promise<void>;
  /** This generation's items; by default, the live generation's. */
  items(generation?: number): Promise<Map<string, ItemDocument>>;
  /**
   * The dead letters, one for each record. The dead-letter topic may contain a second dead letter for a
   * record, because a projector may repeat a write.
   */
  deadLetters(): Promise<FetchedRecord[]>;
  /** Number of records in the dead-letter topic, according to its offsets. */
  deadLetterCount(): Promise<number>;
  /**
   * Removes killed projectors and builders from the group of a generation, so that the next process does not
   * wait for the session timeout.
   */
  removeMembers(generation?: number): Promise<void>;
  close(): Promise<void>;
}

/** A limit that only a failing test meets. */
const CAUGHT_UP_WITHIN_MS = 300_000;
let count = 0;

/**
 * Creates a deployment.
 * @param partitions number of partitions of the events topic
 * @param topicConfig settings of the events topic
 * @param on the engines; by default, the test run's engines
 */
export async function createDeployment(
  name: string,
  partitions = 4,
  topicConfig: Record<string, string> = {},
  on?: Engines['settings'],
): Promise<Deployment> {
  const settings = on ?? (await engines()).settings;
  const prefix = `${name}-${process.pid}-${++count}`;
  const topic = `${prefix}.events`;
  const deadLetterTopic = `${topic}.dead-letters`;
  const groupId = `${prefix}-group-1`;
  const env = {
    ...settings,
    LISTING_EVENTS_TOPIC: topic,
    INDEX_PREFIX: prefix,
    CONSUMER_GROUP: `${prefix}-group`,
    LOG_LEVEL: 'warn',
    ADMIN_PORT: '0',
    PORT: '0',
  };
  const log = createLog('test', 'silent');
  const client = createElasticsearch({
    ...elasticsearchConnection(settings),
    requestTimeout: 60_000,
    maxRetries: 3,
  });
  const kafka = createKafka(kafkaConnection(settings), log);
  const admin = kafka.admin();
  // Shortly after the creation of a topic, a broker may refuse one partition of a request. kafkajs then
  // repeats the whole request, and only an idempotent producer writes no record twice.
  const producer = kafka.producer({ idempotent: true });
  await Promise.all([admin.connect(), producer.connect()]);
  const configEntries = Object.entries({ 'max.message.bytes': '6000000', ...topicConfig }).map(
    ([name, value]) => ({ name, value }),
  );
  const replicationFactor = Math.min(settings.KAFKA_BROKERS.split(',').length, 3);
  await createTopic(admin, { topic, numPartitions: partitions, replicationFactor, configEntries });

  // The result is undefined while a broker that has just started does not lead its partitions yet.
  const topicOffsets = () =>
    admin.fetchTopicOffsets(topic).catch((error: Error) => {
      if (error instanceof KafkaError && error.retriable) return undefined;
      throw error;
    });
  const caughtUp = async (withinMs = CAUGHT_UP_WITHIN_MS, generation = 1) => {
    const deadline = Date.now() + withinMs;
    const groupId = `${prefix}-group-${generation}`;
    for (;;) {
      // Shortly after the start of a broker, its group coordinator may still be loading.
      const [group] = await admin.fetchOffsets({ groupId, topics: [topic] }).catch(() => []);
      const committed = new Map(
        (group?.partitions ?? []).map(({ partition, offset }) => [partition, Number(offset)]),
      );
      const behind = (await topicOffsets())?.filter(
        ({ partition, low, high }) => Math.max(committed.get(partition) ?? 0, Number(low)) < Number(high),
      );
      if (behind?.length === 0) break;
      if (Date.now() > deadline)
        throw new Error(
          `the projector did not catch up within ${withinMs} ms: ` +
            JSON.stringify({ behind, committed: [...committed] }),
        );
      await sleep(100);
    }
    await client.indices.refresh({ index: generationNames(prefix, generation).items });
  };

  return {
    env,
    topic,
    deadLetterTopic,
    groupId,
    prefix,
    client,
    kafka,
    admin,
    caughtUp,
    publish: async (records) => {
      const BATCH = 500;
      for (let i = 0; i < records.length; i += BATCH)
        await producer.send({ topic, messages: records.slice(i, i + BATCH) });
    },
    items: (generation) =>
      allItems(
        client,
        generation === undefined ? itemsAlias(prefix) : generationNames(prefix, generation).items,
      ),
    deadLetters: async () => onePerRecord(await readTopic(settings, deadLetterTopic)),
    deadLetterCount: async () =>
      (await admin.fetchTopicOffsets(deadLetterTopic)).reduce(
        (sum, { low, high }) => sum + Number(high) - Number(low),
        0,
      ),
    removeMembers: (generation = 1) =>
      removeMembers(kafkaConnection(settings), `${prefix}-group-${generation}`),
    close: async () => {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
      const ours = Object.keys(await client.indices.get({ index: `${prefix}-*` }));
      if (ours.length > 0) await client.indices.delete({ index: ours });
      await client.close();
    },
  };
}

async function allItems(client: Client, index: string): Promise<Map<string, ItemDocument>> {
  const items = new Map<string, ItemDocument>();
  for await (const item of client.helpers.scrollDocuments<ItemDocument>({ index, size: 1000 }))
    items.set(item.id, item);
  return items;
}

/**
 * The first dead letter for each record. The dead letter's key and the position in its headers identify the
 * record. The dead letters of failed listings all have the same position.
 */
function onePerRecord(deadLetters: readonly FetchedRecord[]): FetchedRecord[] {
  const first = new Map<string, FetchedRecord>();
  for (const deadLetter of deadLetters) {
    const position = ['topic', 'partition', 'offset'].map((part) =>
      String(deadLetter.headers?.[`dead-letter-${part}`]),
    );
    const identity = JSON.stringify([String(deadLetter.key), ...position]);
    if (!first.has(identity)) first.set(identity, deadLetter);
  }
  return [...first.values()];
}

/** The current registry of a deployment. */
export async function registryOf({ client, prefix }: Deployment): Promise<Registry> {
  const { _source } = await client.get<{ registry: Registry }>({
    index: registryIndex(prefix),
    id: 'registry',
  });
  if (!_source) throw new Error('the registry is empty');
  return _source.registry;
}

/** The builders of a rebuild that are not lost. */
export const buildersOf = async (deployment: Deployment): Promise<Builder[]> =>
  activeBuilders(await registryOf(deployment));

/** Resolves when no builder is alive, so that `replay resume` is accepted. */
export async function untilBuildersAreDead(deployment: Deployment): Promise<void> {
  await eventually('all builders are dead', async () =>
    (await buildersOf(deployment)).every((builder) => !isAlive(builder, Date.now())),
  );
}

/**
 * Makes killed builders look 15 seconds older, so that `replay resume` is accepted. A builder that is alive
 * would end.
 */
export async function ageBuilders({ client, prefix }: Deployment): Promise<void> {
  const at = { index: registryIndex(prefix), id: 'registry' };
  await eventually('the builders look dead', async () => {
    const { _source, _seq_no, _primary_term } = await client.get<{ registry: Registry }>(at);
    const { registry } = _source as { registry: Registry };
    const builders = registry.builders?.map((builder) => ({
      ...builder,
      seen_at: new Date(Date.parse(builder.seen_at) - BUILDER_DEAD_AFTER_MS).toISOString(),
    }));
    return client
      .index({
        ...at,
        document: { ..._source, registry: { ...registry, builders } },
        if_seq_no: _seq_no as number,
        if_primary_term: _primary_term as number,
      })
      .then(
        () => true,
        ({ statusCode }: { statusCode?: number }) =>
          statusCode === 409 ? false : Promise.reject(new Error(`answered ${statusCode}`)),
      );
  });
}

/**
 * Makes Elasticsearch forget the deletions that `remove` makes in an index. Afterwards, Elasticsearch accepts
 * older versions of the deleted documents, as a probe document proves.
 */
export async function forgetDeletions(
  client: Client,
  index: string,
  remove: () => Promise<void>,
): Promise<void> {
  await client.indices.putSettings({ index, settings: { 'index.gc_deletes': '1s' } });
  const probe = (version: number) =>
    client.index({
      index,
      id: 'probe',
      version,
      version_type: 'external',
      document: { id: 'probe', published_at: 0 },
    });
  await probe(4);
  await remove();
  await client.delete({ index, id: 'probe', version: 5, version_type: 'external' });
  await eventually('Elasticsearch forgets the deletions', async () => {
    await client.indices.refresh({ index });
    return probe(3).then(
      () => true,
      ({ statusCode }: { statusCode?: number }) =>
        statusCode === 409 ? false : Promise.reject(new Error(`answered ${statusCode}`)),
    );
  });
  await client.delete({ index, id: 'probe' });
  await client.indices.refresh({ index });
}

/** Deletes the events topic, and waits until no broker knows it. */
export async function deleteTopic({ admin, topic }: Deployment): Promise<void> {
  await admin.deleteTopics({ topics: [topic] });
  await eventually('the topic is gone', async () => !(await admin.listTopics()).includes(topic));
}

/**
 * Deletes the events topic and creates it again under its name. The new topic is empty and has another id.
 */
export async function recreateTopic(deployment: Deployment, numPartitions: number): Promise<void> {
  await deleteTopic(deployment);
  const { admin, topic } = deployment;
  // A request can fail on a busy broker although it creates the topic.
  await eventually('the topic is created', async () => {
    await createTopic(admin, { topic, numPartitions, replicationFactor: 1 }).catch(() => false);
    return (await admin.listTopics()).includes(topic);
  });
}

import { createTopic, type KafkaAdmin, KafkaError, type TopicSpec } from '@vitrine/kafka';
import { MAX_RECORD_BYTES } from '@vitrine/listing-events';

/** Kafka's default for `max.message.bytes`. */
export const KAFKA_MESSAGE_BYTES = 1_048_588;
/** The size of a batch that contains one event of maximum size, with room for key, headers and framing. */
export const LARGEST_EVENT_BYTES = MAX_RECORD_BYTES + 64 * 1024;
/**
 * The size factor that makes room for the headers of a dead letter, and for records that our zstd compresses
 * less well than their producer did.
 */
export const DEAD_LETTER_ROOM = 2;
/**
 * The default number of partitions, which is enough for twelve projectors. Partitions can be added later, but
 * never removed.
 */
export const PARTITIONS = 12;

export interface Replication {
  replicationFactor: number;
  minInsyncReplicas: number;
}

/**
 * Plans three replicas, two of which must acknowledge each record. One broker can then fail without loss. If
 * there are fewer than three brokers, plans one replica per broker, and all replicas except one must
 * acknowledge.
 * @param chosen the operator's choices, which override the plan
 */
export function planReplication(brokers: number, chosen: Partial<Replication> = {}): Replication {
  const replicationFactor = chosen.replicationFactor ?? Math.min(brokers, 3);
  return {
    replicationFactor,
    minInsyncReplicas: chosen.minInsyncReplicas ?? Math.max(replicationFactor - 1, 1),
  };
}

type ConfigEntries = NonNullable<TopicSpec['configEntries']>;

const entries = (settings: Record<string, string | number>): ConfigEntries =>
  Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }));

/**
 * The settings for the events topic: unlimited retention without compaction, because every event is a part of
 * a listing.
 */
export const eventsConfig = (minInsyncReplicas: number): ConfigEntries =>
  entries({
    'cleanup.policy': 'delete',
    'retention.ms': -1,
    'retention.bytes': -1,
    'max.message.bytes': LARGEST_EVENT_BYTES,
    'min.insync.replicas': minInsyncReplicas,
  });

/**
 * The settings for the dead-letter topic: unlimited retention, with room for the largest record in the events
 * topic.
 * @param largest the events topic's `max.message.bytes`
 */
export const deadLetterConfig = (largest: number, minInsyncReplicas?: number): ConfigEntries =>
  entries({
    'cleanup.policy': 'delete',
    'retention.ms': -1,
    'max.message.bytes': largest * DEAD_LETTER_ROOM,
    ...(minInsyncReplicas !== undefined && { 'min.insync.replicas': minInsyncReplicas }),
  });

/** The topic settings that matter to the projection. */
const JUDGED_SETTINGS = [
  'cleanup.policy',
  'retention.ms',
  'retention.bytes',
  'max.message.bytes',
  'min.insync.replicas',
  'message.timestamp.type',
  'unclean.leader.election.enable',
  'remote.storage.enable',
] as const;

export type TopicSetting = (typeof JUDGED_SETTINGS)[number];

export interface TopicState {
  topic: string;
  partitions: number;
  /** The number of replicas for the partition that has the fewest. */
  replicationFactor: number;
  underReplicated: number[];
  /**
   * The effective settings, from the topic or from the brokers. Settings that the brokers do not support are
   * absent.
   */
  settings: Partial<Record<TopicSetting, string>>;
}

/**
 * Reads the state of a topic from the brokers.
 * @returns undefined if the topic does not exist
 * @throws KafkaError, for example if a partition has no leader
 */
export async function readTopicState(admin: KafkaAdmin, topic: string): Promise<TopicState | undefined> {
  if (!(await admin.listTopics()).includes(topic)) return undefined;
  const [{ topics }, settings] = await Promise.all([
    admin.fetchTopicMetadata({ topics: [topic] }),
    admin.topicSettings(topic, JUDGED_SETTINGS),
  ]);
  const partitions = topics[0]?.partitions ?? [];
  return {
    topic,
    partitions: partitions.length,
    replicationFactor: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    underReplicated: partitions
      .filter(({ isr, replicas }) => isr.length < replicas.length)
      .map(({ partitionId }) => partitionId)
      .sort((a, b) => a - b),
    settings,
  };
}

const OFFSETS_RETENTION = 'offsets.retention.minutes';

/**
 * Reads how long Kafka stores the commits of a group without members.
 * @param nodeIds the ids of the brokers. Their smallest value counts, because any of them may coordinate the
 * group.
 * @returns the time in minutes; undefined if the brokers deny the request (the right DescribeConfigs on the
 * cluster is missing)
 */
export async function readOffsetsRetention(
  admin: KafkaAdmin,
  nodeIds: readonly number[],
): Promise<number | undefined> {
  try {
    const settings = await admin.brokerSettings(nodeIds, [OFFSETS_RETENTION]);
    const minutes = settings.flatMap((one) => Object.values(one).map(Number));
    return minutes.length > 0 ? Math.min(...minutes) : undefined;
  } catch (error) {
    if (error instanceof KafkaError && error.code === 'CLUSTER_AUTHORIZATION_FAILED') return undefined;
    throw error;
  }
}

class MissingTopicError extends Error {
  override readonly name = 'MissingTopicError';
}

/**
 * Checks that the events topic exists. Creates a missing dead-letter topic with as many partitions as the
 * events topic, unlimited retention, and room for the largest record in the topics from which dead letters
 * come.
 * @param sources the topics from which dead letters come, by default the events topic. They may be missing.
 * @throws MissingTopicError if the events topic does not exist. The projector does not create this topic,
 * because the topic's owner chooses the number of partitions.
 */
export async function ensureTopics(
  admin: KafkaAdmin,
  eventsTopic: string,
  deadLetterTopic: string,
  sources: readonly string[] = [eventsTopic],
): Promise<void> {
  const events = await readTopicState(admin, eventsTopic);
  if (!events)
    throw new MissingTopicError(
      `the topic ${eventsTopic} does not exist. Create it with "npm run cli -- topics create", or set ` +
        'LISTING_EVENTS_TOPIC',
    );
  if ((await admin.listTopics()).includes(deadLetterTopic)) return;
  const states = await Promise.all(sources.map((topic) => readTopicState(admin, topic)));
  const sizes = states.map((state) => Number(state?.settings['max.message.bytes'] ?? KAFKA_MESSAGE_BYTES));
  // This call returns false if another process created the topic first.
  await createTopic(admin, {
    topic: deadLetterTopic,
    numPartitions: events.partitions,
    replicationFactor: -1,
    configEntries: deadLetterConfig(Math.max(...sizes)),
  });
}

/**
 * Compares an existing dead-letter topic with a source topic of its dead letters. The source topic may be
 * newer than the dead-letter topic, or may accept larger records than before.
 * @returns the size in bytes that the dead-letter topic needs, if its own is smaller; undefined if it is
 * large enough, or if a topic is missing
 * @throws KafkaError
 */
export async function missingDeadLetterRoom(
  admin: KafkaAdmin,
  deadLetterTopic: string,
  source: string,
): Promise<number | undefined> {
  const [letters, records] = await Promise.all(
    [deadLetterTopic, source].map(async (topic) =>
      Number((await readTopicState(admin, topic))?.settings['max.message.bytes']),
    ),
  );
  const needed = (records ?? Number.NaN) * DEAD_LETTER_ROOM;
  return (letters ?? Number.NaN) < needed ? needed : undefined;
}

import { type KafkaAdmin, KafkaError } from '@vitrine/kafka';

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

/** The state of a topic according to the brokers. */
export interface TopicState {
  topic: string;
  partitions: number;
  /** Number of replicas of the partition with the fewest replicas. */
  replicationFactor: number;
  /** Partitions with a replica that is behind. */
  underReplicated: number[];
  /** Effective settings, from the topic or the brokers. A setting that the brokers do not know is absent. */
  settings: Partial<Record<TopicSetting, string>>;
}

/**
 * Reads the state of a topic from the brokers.
 * @returns undefined if the topic does not exist
 * @throws Kafka's errors, for example if a partition has no leader
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

/** Kafka's broker setting `offsets.retention.minutes`. */
const OFFSETS_RETENTION = 'offsets.retention.minutes';

/**
 * Reads how long Kafka stores the commits of a group without members.
 * @param nodeIds ids of the brokers. The smallest value counts, because any broker may coordinate the group.
 * @returns minutes; undefined if the brokers deny the request (DescribeConfigs on the cluster is missing)
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

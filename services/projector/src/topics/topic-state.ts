import kafkajs, { type Admin } from 'kafkajs';

/** The settings of a topic that decide whether the projection can rest on it. */
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

/** A topic as the brokers have it. */
export interface TopicState {
  topic: string;
  partitions: number;
  /** Of the partition that has the fewest. */
  replicationFactor: number;
  /** Partitions that some replica is behind on. */
  underReplicated: number[];
  /** As it holds for the topic, whether set there or at the brokers; one that the brokers do not know is absent. */
  settings: Partial<Record<TopicSetting, string>>;
}

/** Reads how a topic is made. @returns undefined where there is none @throws Kafka's errors; one of them where a partition has no leader */
export async function readTopicState(admin: Admin, topic: string): Promise<TopicState | undefined> {
  if (!(await admin.listTopics()).includes(topic)) return undefined;
  const [{ topics }, { resources }] = await Promise.all([
    admin.fetchTopicMetadata({ topics: [topic] }),
    admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: [...JUDGED_SETTINGS] }],
    }),
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
    settings: Object.fromEntries((resources[0]?.configEntries ?? []).map(({ configName, configValue }) => [configName, configValue])),
  };
}

/** Kafka's `offsets.retention.minutes`, a setting of the brokers. */
const OFFSETS_RETENTION = 'offsets.retention.minutes';

/**
 * How long Kafka keeps the commits of a group without members.
 * @param nodeIds of the brokers; the smallest value counts, because any of them may coordinate the group
 * @returns minutes; undefined where the brokers do not tell (the right DescribeConfigs on the cluster is missing)
 */
export async function readOffsetsRetention(admin: Admin, nodeIds: readonly number[]): Promise<number | undefined> {
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: nodeIds.map((nodeId) => ({ type: kafkajs.ConfigResourceTypes.BROKER, name: String(nodeId), configNames: [OFFSETS_RETENTION] })),
    });
    const minutes = resources.flatMap(({ configEntries }) => configEntries.map(({ configValue }) => Number(configValue)));
    return minutes.length > 0 ? Math.min(...minutes) : undefined;
  } catch (error) {
    if (error instanceof kafkajs.KafkaJSProtocolError && error.type === 'CLUSTER_AUTHORIZATION_FAILED') return undefined;
    throw error;
  }
}

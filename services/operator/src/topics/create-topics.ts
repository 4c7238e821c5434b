import { createTopic, deadLetterTopic, type KafkaAdmin, KafkaError, type TopicSpec } from '@vitrine/kafka';
import {
  deadLetterConfig,
  eventsConfig,
  LARGEST_EVENT_BYTES,
  PARTITIONS,
  planReplication,
  type Replication,
} from '@vitrine/projection/topics';
import { inspectTopics, type TopicOperation, type TopicsReport } from './inspect-topics.ts';

/** The operator's choices. Defaults apply to all other options. */
export interface CreateOptions extends Partial<Replication> {
  partitions?: number;
  /** Whether the brokers only validate the request. */
  dryRun: boolean;
}

export interface Created extends TopicsReport {
  /** The names of the topics that were created, or that a dry run would create. */
  created: string[];
  dryRun: boolean;
}

/**
 * Creates the events topic and the dead-letter topic if they are missing. Does not change an existing topic.
 * @throws Kafka's errors, for example if there are fewer brokers than replicas
 */
export async function createTopics(
  context: TopicOperation,
  { partitions, dryRun, ...chosen }: CreateOptions,
): Promise<Created> {
  const { settings, admin, signal } = context;
  const { brokers, events, deadLetters } = await inspectTopics(context);
  const { replicationFactor, minInsyncReplicas } = planReplication(brokers, chosen);
  // Kafka would create such a topic, but would not accept records for it.
  if (minInsyncReplicas > replicationFactor)
    throw new Error(
      `min.insync.replicas (${minInsyncReplicas}) exceeds the replication factor (${replicationFactor})`,
    );
  const numPartitions = partitions ?? events?.partitions ?? PARTITIONS;
  const missing: TopicSpec[] = [];
  if (!events)
    missing.push({
      topic: settings.LISTING_EVENTS_TOPIC,
      numPartitions,
      replicationFactor,
      configEntries: eventsConfig(minInsyncReplicas),
    });
  const largest = Number(events?.settings['max.message.bytes'] ?? LARGEST_EVENT_BYTES);
  if (!deadLetters)
    missing.push({
      topic: deadLetterTopic(settings),
      numPartitions,
      replicationFactor,
      configEntries: deadLetterConfig(largest, minInsyncReplicas),
    });
  const created: string[] = [];
  for (const topic of missing) if (await create(admin, topic, { dryRun, signal })) created.push(topic.topic);
  return { ...(await inspectTopics(context)), created, dryRun };
}

/** Creates a topic. @returns false if another process has created the topic first */
async function create(
  admin: KafkaAdmin,
  topic: TopicSpec,
  options: { dryRun: boolean; signal: AbortSignal },
): Promise<boolean> {
  try {
    return await createTopic(admin, topic, options);
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    throw new Error(`could not create the topic ${topic.topic}: ${error.message}`, { cause: error });
  }
}

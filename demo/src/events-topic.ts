import { createTopic, type KafkaAdmin } from '@vitrine/kafka';

/** The events topic at the start of the demo. */
export type TopicState = 'created' | 'empty' | 'in use';

const PARTITIONS = 6;

/**
 * Creates a missing events topic with unlimited retention, so the feed can always be rebuilt. Never changes
 * an existing topic.
 */
export async function ensureEventsTopic(admin: KafkaAdmin, topic: string): Promise<TopicState> {
  if ((await admin.listTopics()).includes(topic)) {
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.some(({ high }) => Number(high) > 0) ? 'in use' : 'empty';
  }
  await createTopic(admin, {
    topic,
    numPartitions: PARTITIONS,
    replicationFactor: -1,
    configEntries: [
      { name: 'cleanup.policy', value: 'delete' },
      { name: 'retention.ms', value: '-1' },
      { name: 'retention.bytes', value: '-1' },
    ],
  });
  await warmUpGroups(admin, topic);
  return 'created';
}

/**
 * A new broker creates its topic for group offsets at the first request about a group. After this call, the
 * projector does not have to wait for that topic.
 */
async function warmUpGroups(admin: KafkaAdmin, topic: string): Promise<void> {
  await admin.fetchOffsets({ groupId: 'demo', topics: [topic] }).catch(() => undefined);
}

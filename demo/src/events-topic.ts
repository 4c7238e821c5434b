import type { Admin } from 'kafkajs';

/** How the events topic was found. */
export type TopicState = 'created' | 'empty' | 'in use';

const PARTITIONS = 6;

/** Creates the events topic where it is missing: kept without end, so that a feed can always be built anew. An existing one is left as it is. */
export async function ensureEventsTopic(admin: Admin, topic: string): Promise<TopicState> {
  if ((await admin.listTopics()).includes(topic)) {
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.some(({ high }) => Number(high) > 0) ? 'in use' : 'empty';
  }
  await admin.createTopics({
    topics: [
      {
        topic,
        numPartitions: PARTITIONS,
        replicationFactor: -1,
        configEntries: [
          { name: 'cleanup.policy', value: 'delete' },
          { name: 'retention.ms', value: '-1' },
          { name: 'retention.bytes', value: '-1' },
        ],
      },
    ],
  });
  await warmUpGroups(admin, topic);
  return 'created';
}

/** A broker that has just started makes its topic of group offsets at the first question for a group: ours finds it made. */
async function warmUpGroups(admin: Admin, topic: string): Promise<void> {
  await admin.fetchOffsets({ groupId: 'demo', topics: [topic] }).catch(() => undefined);
}

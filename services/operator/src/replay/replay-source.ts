import { GenerationError, generationNames } from '@vitrine/feed-index';
import { type KafkaAdmin, readOffsets } from '@vitrine/kafka';
import { lastGroupNumber } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';

/**
 * Checks that the topic still holds every record that a replay has to read.
 * @param groupId the consumer group of a replay that has already begun. The log may have lost records before
 * the commits of this group.
 * @throws GenerationError if Kafka has deleted records, or if the topic is compacted, because listings would
 * be missing
 */
export async function assertCompleteLog(
  admin: KafkaAdmin,
  topic: string,
  resumed?: { generation: number; groupId: string },
): Promise<void> {
  const partitions = await admin.fetchTopicOffsets(topic);
  const committed = new Map(
    resumed === undefined
      ? []
      : (await readOffsets(admin, resumed.groupId, topic)).map((one) => [one.partition, one.committed]),
  );
  const cut = partitions.filter(({ partition, low }) => BigInt(low) > (committed.get(partition) ?? 0n));
  const advice =
    `${resumed === undefined ? '' : `Run replay cancel ${resumed.generation} first. `}` +
    'Use replay --from states to keep the content of the live states, or replay --incomplete-log to ' +
    'replay only the remaining events';
  if (cut.length > 0) {
    const list = cut.map(({ partition, low }) => `partition ${partition} begins at offset ${low}`).join(', ');
    throw new GenerationError(`Kafka deleted the beginning of ${topic} (${list}). ${advice}`);
  }
  const { 'cleanup.policy': policy = '' } = await admin.topicSettings(topic, ['cleanup.policy']);
  if (policy.includes('compact'))
    throw new GenerationError(`${topic} is compacted, so Kafka may have deleted partial events. ${advice}`);
}

/** Counts the records in the topic and a generation's states. */
export async function countSource(
  { admin, client, settings }: CommandContext,
  live: number,
): Promise<{ records: number; states: number }> {
  const partitions = await admin.fetchTopicOffsets(settings.LISTING_EVENTS_TOPIC);
  const { count = 0 } = await client.count(
    { index: generationNames(settings.INDEX_PREFIX, live).states },
    { ignore: [404] },
  );
  return {
    records: partitions.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0),
    states: count,
  };
}

/**
 * Finds the highest number that is in use or whose group has commits.
 * @param after the highest number in the registry
 */
export const lastUsedNumber = ({ admin, settings }: CommandContext, after: number): Promise<number> =>
  lastGroupNumber(admin, settings.CONSUMER_GROUP, settings.LISTING_EVENTS_TOPIC, after);

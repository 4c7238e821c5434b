import { GenerationError, generationNames } from '@vitrine/feed-index';
import { readOffsets } from '@vitrine/projection/kafka';
import kafkajs, { type Admin } from 'kafkajs';
import type { CommandContext } from '../command-context.ts';

/**
 * Checks that the topic still holds every record that a replay has to read.
 * @param groupId the consumer group of a replay that already began; the log may have lost the records before
 *   its commits
 * @throws GenerationError when records were deleted or the topic is compacted, so that listings would be
 * missing
 */
export async function assertCompleteLog(admin: Admin, topic: string, groupId?: string): Promise<void> {
  const partitions = await admin.fetchTopicOffsets(topic);
  const committed = new Map(
    groupId === undefined
      ? []
      : (await readOffsets(admin, groupId, topic)).map((one) => [one.partition, one.committed]),
  );
  const cut = partitions.filter(({ partition, low }) => BigInt(low) > (committed.get(partition) ?? 0n));
  const advice =
    `${groupId === undefined ? '' : 'Run replay cancel first. '}` +
    'Use replay --from states to keep the facts of the live states, or replay --incomplete-log to ' +
    'replay only the remaining events';
  if (cut.length > 0) {
    const list = cut.map(({ partition, low }) => `partition ${partition} begins at offset ${low}`).join(', ');
    throw new GenerationError(`the beginning of ${topic} was deleted (${list}). ${advice}`);
  }
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: ['cleanup.policy'] }],
  });
  const policy = resources[0]?.configEntries[0]?.configValue ?? '';
  if (policy.includes('compact'))
    throw new GenerationError(`${topic} is compacted, so partial events were deleted. ${advice}`);
}

/**
 * With fewer records per listing, one pass over the topic is cheaper than states first and items afterwards.
 */
const MAX_RECORDS_PER_LISTING = 2.5;

/**
 * Chooses how to build from the topic. `projecting` writes an item for each event of its listing. `folding`
 * writes each item once, but reads every state again.
 */
export async function topicPhase(
  { admin, client, settings }: CommandContext,
  live: number | undefined,
): Promise<'projecting' | 'folding'> {
  if (live === undefined) return 'folding';
  const partitions = await admin.fetchTopicOffsets(settings.LISTING_EVENTS_TOPIC);
  const records = partitions.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
  const { count } = await client.count(
    { index: generationNames(settings.INDEX_PREFIX, live).states },
    { ignore: [404] },
  );
  return records < MAX_RECORDS_PER_LISTING * (count ?? 0) ? 'projecting' : 'folding';
}

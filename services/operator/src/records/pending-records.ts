import { type PartitionOffsets, readOffsets, type ScanProgress, type TopicRange } from '@vitrine/kafka';
import { groupOf, readRegistry } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { readRecords } from './read-records.ts';

/**
 * Reads the keys of the records in the events topic that a generation has not folded yet. A key can occur
 * repeatedly. A generation that was pruned has no such records.
 * @throws the signal's reason after an interruption; MissingTopicError; KafkaError;
 * ElasticsearchClientError; the errors from `onKey`
 */
export async function readPendingKeys(
  context: CommandContext,
  number: number,
  onKey: (key: string) => Promise<void> | void,
  onProgress?: (progress: ScanProgress) => void,
): Promise<void> {
  const { admin, client, settings } = context;
  const registry = await readRegistry(client, settings.INDEX_PREFIX);
  const generation = registry?.generations.find((one) => one.number === number);
  if (!generation) return;
  const topic = settings.LISTING_EVENTS_TOPIC;
  const offsets = await readOffsets(admin, groupOf(settings.CONSUMER_GROUP, number), topic);
  // The recorded offsets of an earlier topic with the same name do not count.
  const isSameTopic = [undefined, offsets[0]?.topicId].includes(generation.topic_id);
  const range = pendingRange(offsets, isSameTopic ? (generation.offsets ?? {}) : {});
  if (range.length === 0) return;
  await readRecords(
    context,
    topic,
    range,
    async ({ key }) => {
      if (key !== null) await onKey(key.toString());
    },
    onProgress,
  );
}

/**
 * The part of a topic that a group has not finished, up to the last stable offset. Pure.
 * @param starts the first offset of each partition for a group without a commit
 */
export const pendingRange = (
  offsets: readonly Pick<PartitionOffsets, 'partition' | 'low' | 'committed' | 'stable'>[],
  starts: Readonly<Record<string, string>>,
): TopicRange =>
  offsets
    .map(({ partition, low, committed, stable }) => {
      const next = committed ?? BigInt(starts[partition] ?? low);
      return { partition, from: next > low ? next : low, to: stable };
    })
    .filter(({ from, to }) => from < to);

import { type PartitionOffsets, readOffsets, type ScanProgress, type TopicRange } from '@vitrine/kafka';
import { groupOf, readRegistry } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { readRecords } from './read-records.ts';

/**
 * Reads the keys of the records in the events topic that a generation has not folded yet. A key can occur
 * repeatedly. A generation that was pruned has no such records. The records of an open transaction count,
 * because it may still be committed. The records behind it count too.
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
  const { stable, open } = pendingRanges(offsets, isSameTopic ? (generation.offsets ?? {}) : {});
  const read = (range: TopicRange, readUncommitted: boolean) =>
    readRecords(
      context,
      topic,
      range,
      async ({ key }) => {
        if (key !== null) await onKey(key.toString());
      },
      { onProgress, readUncommitted },
    );
  await read(stable, false);
  await read(open, true);
}

/**
 * The parts of a topic that a group has not finished: `stable` ends at the last stable offset, where `open`
 * begins. Pure.
 * @param starts the first offset of each partition for a group without a commit
 */
export function pendingRanges(
  offsets: readonly Pick<PartitionOffsets, 'partition' | 'low' | 'committed' | 'stable' | 'end'>[],
  starts: Readonly<Record<string, string>>,
): Record<'stable' | 'open', TopicRange> {
  const ranges = offsets.map(({ partition, low, committed, stable, end }) => {
    const next = committed ?? BigInt(starts[partition] ?? low);
    const from = next > low ? next : low;
    return {
      stable: { partition, from, to: stable },
      open: { partition, from: from > stable ? from : stable, to: end },
    };
  });
  const filled = (name: 'stable' | 'open') =>
    ranges.map((range) => range[name]).filter(({ from, to }) => from < to);
  return { stable: filled('stable'), open: filled('open') };
}

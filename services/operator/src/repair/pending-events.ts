import type { GenerationRecord } from '@vitrine/feed-index';
import { readOffsets } from '@vitrine/kafka';
import { groupOf } from '@vitrine/projection/generations';
import type { CommandContext } from '../command-context.ts';
import { readRecords } from '../records/read-records.ts';

/**
 * Whether the topic has a record of the listing that the generation has not folded yet.
 * @throws the signal's reason after an interruption; MissingTopicError; KafkaError
 */
export async function hasPendingEvent(
  context: CommandContext,
  { number, offsets: starts = {} }: Pick<GenerationRecord, 'number' | 'offsets'>,
  id: string,
): Promise<boolean> {
  const { admin, settings } = context;
  const topic = settings.LISTING_EVENTS_TOPIC;
  const offsets = await readOffsets(admin, groupOf(settings.CONSUMER_GROUP, number), topic);
  const range = offsets
    .map(({ partition, low, committed, stable }) => {
      const next = committed ?? BigInt(starts[partition] ?? low);
      return { partition, from: next > low ? next : low, to: stable };
    })
    .filter(({ from, to }) => from < to);
  if (range.length === 0) return false;
  let found = false;
  await readRecords(context, topic, range, ({ key }) => {
    found ||= key !== null && key.toString() === id;
  });
  return found;
}

import { deadLetterTopic, rangeOf, type ScanProgress, type TopicRange } from '@vitrine/kafka';
import type { CommandContext } from '../command-context.ts';
import { readRecords } from '../records/read-records.ts';
import { type Mark, type StoredDeadLetter, toStoredDeadLetter } from './stored-dead-letter.ts';

/**
 * Returns the current range of the dead-letter topic, which is empty if the topic does not exist.
 * @param only restricts the range to this partition
 */
export const deadLetterRange = (context: CommandContext, only?: number): Promise<TopicRange> =>
  rangeOf(context.admin, deadLetterTopic(context.settings), only);

/**
 * Reads the dead letters and their marks. Reads each entry exactly once, and each partition in order.
 * @param onEntry receives each entry, when the promise for the previous entry has resolved
 * @throws errors from `onEntry`; the signal's reason after an interruption; Kafka's errors
 */
export async function readDeadLetters(
  context: CommandContext,
  range: TopicRange,
  onEntry: (entry: StoredDeadLetter | Mark) => Promise<void> | void,
  onProgress?: (progress: ScanProgress) => void,
): Promise<void> {
  const topic = deadLetterTopic(context.settings);
  // Several partitions are read at the same time, but `onEntry` runs for one entry at a time, so that a
  // caller that collects entries and waits loses none.
  let last = Promise.resolve();
  await readRecords(
    context,
    topic,
    range,
    (record) => {
      last = last.then(() => onEntry(toStoredDeadLetter(topic, record.partition, record)));
      return last;
    },
    { onProgress },
  );
}

import type { ScanProgress } from '@vitrine/kafka';
import { type RecordReading, readRecords } from '../records/read-records.ts';
import type { CheckRun } from './check-run.ts';
import { listingOf } from './listing-of.ts';
import { rangeOfPart, type TopicPart } from './topic-part.ts';

/**
 * Adds the records of a topic to a check.
 * @throws MissingTopicError; the errors from `readRecords` and `CheckRun.add`
 */
export async function checkTopic(
  run: CheckRun,
  reading: RecordReading,
  { topic, part }: { topic: string; part: TopicPart },
  onProgress: (progress: ScanProgress) => void,
): Promise<void> {
  await readRecords(
    reading,
    topic,
    await rangeOfPart(reading.admin, topic, part),
    (record) => {
      const { partition, offset, timestamp } = record;
      run.add(record, { partition, offset }, timestamp);
    },
    {
      onProgress,
      onUnreadable({ record, reason, detail }) {
        const { partition, offset } = record;
        run.refuse(reason, [{ reason, path: '', message: detail }], { partition, offset }, listingOf(record));
      },
    },
  );
}

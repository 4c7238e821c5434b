import { randomUUID } from 'node:crypto';
import { type KafkaAdmin, type KafkaConnection, readRange, type ScanProgress } from '@vitrine/kafka';
import type { Log } from '@vitrine/runtime/log';
import type { CheckRun } from './check-run.ts';
import { listingOf } from './listing-of.ts';
import { rangeOfPart, type TopicPart } from './topic-part.ts';

/** A connection to Kafka that reads topics. */
export interface TopicReading {
  kafka: KafkaConnection;
  admin: KafkaAdmin;
  log: Log;
  /** The prefix of consumer groups that the command may use. */
  consumerGroup: string;
}

/**
 * Adds the records of a topic to a check.
 * @throws MissingTopicError; the errors of `readRange` and `CheckRun.add`
 */
export async function checkTopic(
  run: CheckRun,
  { kafka, admin, log, consumerGroup }: TopicReading,
  { topic, part }: { topic: string; part: TopicPart },
  signal: AbortSignal,
  onProgress: (progress: ScanProgress) => void,
): Promise<void> {
  const range = await rangeOfPart(admin, topic, part);
  await readRange({
    kafka,
    admin,
    log,
    groupId: `${consumerGroup}-cli-${randomUUID()}`,
    topic,
    range,
    signal,
    onRecord: (record) => {
      const { partition, offset, timestamp } = record;
      run.add(record, { partition, offset }, timestamp);
    },
    onUnreadable: ({ record, reason, detail }) => {
      const { partition, offset } = record;
      run.refuse(reason, [{ reason, path: '', message: detail }], { partition, offset }, listingOf(record));
    },
    onProgress,
  });
}

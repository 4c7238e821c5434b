import { createKafka, createTopic } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import { inBatches } from './batches.ts';
import type { LogRecord } from './listing-events.ts';

export interface EventsTopic {
  publish(records: Iterable<LogRecord>): Promise<void>;
  /** Deletes the topic and disconnects. */
  close(): Promise<void>;
}

const PARTITIONS = 4;
const RECORDS_PER_REQUEST = 2_000;

/** Creates an events topic and a producer for it. Publishing stops when the signal aborts. */
export async function createEventsTopic(
  brokers: string,
  topic: string,
  signal: AbortSignal,
): Promise<EventsTopic> {
  const kafka = createKafka({ brokers }, createLog('bench', 'silent'));
  const admin = kafka.admin();
  const producer = kafka.producer();
  await Promise.all([admin.connect(), producer.connect()]);
  await createTopic(admin, { topic, numPartitions: PARTITIONS, replicationFactor: 1 });
  return {
    async publish(records) {
      for (const messages of inBatches(records, RECORDS_PER_REQUEST)) {
        signal.throwIfAborted();
        await producer.send({ topic, messages });
      }
    },
    async close() {
      await admin.deleteTopics({ topics: [topic] });
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}

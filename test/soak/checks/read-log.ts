import type { Admin, IHeaders, Kafka } from 'kafkajs';

export interface StoredRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: IHeaders;
}

const READ_WITHIN_MS = 300_000;

/** All records of a topic. @throws Error if it cannot read all of them within five minutes */
export async function readLog(kafka: Kafka, admin: Admin, topic: string): Promise<StoredRecord[]> {
  const ends = await admin.fetchTopicOffsets(topic);
  const expected = ends.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
  const records: StoredRecord[] = [];
  if (expected === 0) return records;
  const consumer = kafka.consumer({ groupId: `${topic}-soak-reader` });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const late = () => reject(new Error(`read ${records.length} of ${expected} records of ${topic}`));
      const timer = setTimeout(late, READ_WITHIN_MS);
      consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
      void consumer.run({
        eachMessage: async ({ message: { key, value, headers = {} } }) => {
          records.push({ key, value, headers });
          if (records.length < expected) return;
          clearTimeout(timer);
          resolve();
        },
      });
    });
  } finally {
    await consumer.disconnect();
  }
  return records;
}

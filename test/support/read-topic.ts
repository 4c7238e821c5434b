import { createKafka, type FetchedRecord, kafkaConnection, rangeOf, readRange } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';

let count = 0;

/** All records of a topic, in no particular order. Empty if the topic does not exist. */
export async function readTopic(
  settings: { KAFKA_BROKERS: string },
  topic: string,
): Promise<FetchedRecord[]> {
  const kafka = kafkaConnection(settings);
  const log = createLog('test', 'silent');
  const admin = createKafka(kafka, log).admin();
  await admin.connect();
  try {
    const records: FetchedRecord[] = [];
    await readRange({
      kafka,
      admin,
      log,
      groupId: `${topic}-reader-${process.pid}-${++count}`,
      topic,
      range: await rangeOf(admin, topic),
      signal: new AbortController().signal,
      onRecord: (record) => void records.push(record),
    });
    return records;
  } finally {
    await admin.disconnect();
  }
}

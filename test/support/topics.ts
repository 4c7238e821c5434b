import {
  createKafka,
  createTopic,
  type FetchedRecord,
  kafkaConnection,
  rangeOf,
  readRange,
} from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
import type { Deployment } from './deployment.ts';
import { eventually } from './service-process.ts';

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

/** Deletes the events topic, and waits until no broker knows it. */
export async function deleteTopic({ admin, topic }: Deployment): Promise<void> {
  await admin.deleteTopics({ topics: [topic] });
  await eventually('the topic is gone', async () => !(await admin.listTopics()).includes(topic));
}

/**
 * Deletes the events topic and creates it again under its name. The new topic is empty and has another id.
 */
export async function recreateTopic(deployment: Deployment, numPartitions: number): Promise<void> {
  await deleteTopic(deployment);
  const { admin, topic } = deployment;
  // A request can fail on a busy broker although it creates the topic.
  await eventually('the topic is created', async () => {
    await createTopic(admin, { topic, numPartitions, replicationFactor: 1 }).catch(() => false);
    return (await admin.listTopics()).includes(topic);
  });
}

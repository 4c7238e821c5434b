import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Admin, type ITopicConfig } from 'kafkajs';

const LEADERS_WITHIN_MS = 30_000;
const POLL_MS = 100;

/**
 * Creates a topic, and waits until every partition has a leader. kafkajs can wait too, but it does not repeat
 * its request if a broker has just started and does not know the topic yet.
 * @param options `dryRun` only validates the request
 * @returns false if the topic already existed
 * @throws the errors of kafkajs, and an Error if a partition has no leader after 30 s
 */
export async function createTopic(
  admin: Admin,
  topic: ITopicConfig,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<boolean> {
  const created = await admin.createTopics({ topics: [topic], validateOnly: dryRun, waitForLeaders: false });
  if (!created || dryRun) return created;
  const deadline = performance.now() + LEADERS_WITHIN_MS;
  while (!(await hasLeaders(admin, topic.topic))) {
    if (performance.now() > deadline)
      throw new Error(`Some partitions of the topic ${topic.topic} still have no leader after 30 s.`);
    await sleep(POLL_MS);
  }
  return true;
}

async function hasLeaders(admin: Admin, topic: string): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics[0]?.partitions ?? [];
    return partitions.length > 0 && partitions.every(({ leader }) => leader >= 0);
  } catch (error) {
    if (error instanceof kafkajs.KafkaJSError && error.retriable) return false;
    throw error;
  }
}

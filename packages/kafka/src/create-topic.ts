import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaAdmin, TopicSpec } from './admin.ts';
import { KafkaError } from './errors.ts';

const LEADERS_WITHIN_MS = 30_000;
const POLL_MS = 100;

/**
 * Creates a topic, and waits until the leader of every partition accepts requests. kafkajs can wait for
 * leaders too, but it does not repeat its request if a broker has just started and does not know the topic
 * yet.
 * @param options `dryRun` only validates the request; `signal` ends the wait
 * @returns false if the topic already existed. Another process may have created it a moment before, so this
 *   function waits in this case too.
 * @throws KafkaError, an Error if a partition is not ready after 30 s, and an AbortError on abort
 */
export async function createTopic(
  admin: KafkaAdmin,
  topic: TopicSpec,
  { dryRun = false, signal }: { dryRun?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<boolean> {
  signal?.throwIfAborted();
  const created = await admin.createTopics({ topics: [topic], validateOnly: dryRun, waitForLeaders: false });
  if (dryRun) return created;
  const deadline = performance.now() + LEADERS_WITHIN_MS;
  while (!(await isReady(admin, topic.topic))) {
    if (performance.now() > deadline)
      throw new Error(`Some partitions of the topic ${topic.topic} are still not ready after 30 s.`);
    await sleep(POLL_MS, undefined, { signal });
  }
  return created;
}

async function isReady(admin: KafkaAdmin, topic: string): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics[0]?.partitions ?? [];
    if (partitions.length === 0 || partitions.some(({ leader }) => leader < 0)) return false;
    // The metadata can name a leader that still refuses requests for the partition.
    await admin.fetchTopicOffsets(topic);
    return true;
  } catch (error) {
    if (error instanceof KafkaError && error.retriable) return false;
    throw error;
  }
}

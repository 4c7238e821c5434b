import type { Admin } from 'kafkajs';
import { deadLetterConfig, KAFKA_MESSAGE_BYTES } from './topic-plan.ts';
import { readTopicState } from './topic-state.ts';

/** A topic that must be there is not. */
class MissingTopicError extends Error {
  override readonly name = 'MissingTopicError';
}

/**
 * Makes sure that the events topic is there, and creates the dead-letter topic when it is not: with
 * as many partitions, kept without end, and room for the largest record of the events topic.
 * @throws MissingTopicError when there is no events topic: how it is partitioned is its owner's decision.
 */
export async function ensureTopics(admin: Admin, eventsTopic: string, deadLetterTopic: string): Promise<void> {
  const events = await readTopicState(admin, eventsTopic);
  if (!events)
    throw new MissingTopicError(`the topic ${eventsTopic} does not exist: create it (npm run cli -- topics create), or set LISTING_EVENTS_TOPIC`);
  if ((await admin.listTopics()).includes(deadLetterTopic)) return;
  const largest = Number(events.settings['max.message.bytes'] ?? KAFKA_MESSAGE_BYTES);
  // False when another instance was faster.
  await admin.createTopics({
    topics: [{ topic: deadLetterTopic, numPartitions: events.partitions, replicationFactor: -1, configEntries: deadLetterConfig(largest) }],
  });
}

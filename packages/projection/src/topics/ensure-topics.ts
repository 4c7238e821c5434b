import { createTopic, type KafkaAdmin } from '@vitrine/kafka';
import { deadLetterConfig, KAFKA_MESSAGE_BYTES } from './topic-plan.ts';
import { readTopicState } from './topic-state.ts';

/** A required topic does not exist. */
class MissingTopicError extends Error {
  override readonly name = 'MissingTopicError';
}

/**
 * Checks that the events topic exists. Creates a missing dead-letter topic with as many partitions, unlimited
 * retention, and room for the largest record of the events topic.
 * @throws MissingTopicError if the events topic does not exist. The projector does not create it, because the
 * owner of the topic chooses the number of partitions.
 */
export async function ensureTopics(
  admin: KafkaAdmin,
  eventsTopic: string,
  deadLetterTopic: string,
): Promise<void> {
  const events = await readTopicState(admin, eventsTopic);
  if (!events)
    throw new MissingTopicError(
      `the topic ${eventsTopic} does not exist. Create it with "npm run cli -- topics create", or set ` +
        'LISTING_EVENTS_TOPIC',
    );
  if ((await admin.listTopics()).includes(deadLetterTopic)) return;
  const largest = Number(events.settings['max.message.bytes'] ?? KAFKA_MESSAGE_BYTES);
  // Returns false if another process has created the topic first.
  await createTopic(admin, {
    topic: deadLetterTopic,
    numPartitions: events.partitions,
    replicationFactor: -1,
    configEntries: deadLetterConfig(largest),
  });
}

import kafkajs, { type Admin } from 'kafkajs';

/** A topic that must be there is not. */
class MissingTopicError extends Error {
  override readonly name = 'MissingTopicError';
}

/** For a dead letter's own headers, and for records that our gzip packs less tightly than their producer did. */
const DEAD_LETTER_ROOM = 2;
const BROKER_DEFAULT_BYTES = 1_048_588;

/**
 * Makes sure that the events topic is there, and creates the dead-letter topic when it is not: with
 * as many partitions, kept without end, and room for the largest record of the events topic.
 * @throws MissingTopicError when there is no events topic: how it is partitioned is its owner's decision.
 */
export async function ensureTopics(admin: Admin, eventsTopic: string, deadLetterTopic: string): Promise<void> {
  const topics = await admin.listTopics();
  if (!topics.includes(eventsTopic)) throw new MissingTopicError(`the topic ${eventsTopic} does not exist: create it, or set LISTING_EVENTS_TOPIC`);
  if (topics.includes(deadLetterTopic)) return;
  const { topics: metadata } = await admin.fetchTopicMetadata({ topics: [eventsTopic] });
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: eventsTopic, configNames: ['max.message.bytes'] }],
  });
  const largest = Number(
    resources[0]?.configEntries.find(({ configName }) => configName === 'max.message.bytes')?.configValue ?? BROKER_DEFAULT_BYTES,
  );
  // False when another instance was faster.
  await admin.createTopics({
    topics: [
      {
        topic: deadLetterTopic,
        numPartitions: metadata[0]?.partitions.length ?? 1,
        replicationFactor: -1,
        configEntries: [
          { name: 'retention.ms', value: '-1' },
          { name: 'max.message.bytes', value: String(largest * DEAD_LETTER_ROOM) },
        ],
      },
    ],
  });
}

export { UNREADABLE_REASONS, type UnreadableReason } from './batch-content.ts';
export { connectAdmin, createKafka } from './client.ts';
export { checkKafka, type KafkaConnection, kafkaConnection, kafkaSettings } from './connection.ts';
export { createTopic } from './create-topic.ts';
export { fetchedBatches, runLazily } from './fetch-response.ts';
export type { FetchedRecord } from './format/record-batch.ts';
export { recordBytes, type SourceRecord } from './format/source-record.ts';
export { LostOffsetsError, startConsumer } from './kafka-consumer.ts';
export type { PartitionBatch } from './partition-batch.ts';
export { type Chunk, readChunks } from './read-chunks.ts';
export { checkTopics, deadLetterTopic, topicSettings } from './topic-names.ts';
export {
  assertOffsetsInLog,
  type PartitionOffsets,
  readOffsets,
  recordAgesIn,
  startAtEnd,
} from './topic-offsets.ts';

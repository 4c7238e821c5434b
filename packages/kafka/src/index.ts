export type { AccessRule, GroupDescription, KafkaAdmin, PartitionOffset, TopicSpec } from './admin.ts';
export { UNREADABLE_REASONS, type UnreadableReason } from './batch-content.ts';
export { createKafka, type KafkaClient } from './client.ts';
export { checkKafka, type KafkaConnection, kafkaConnection, kafkaSettings } from './connection.ts';
export { createTopic } from './create-topic.ts';
export {
  DeletedTopicError,
  describeOtherTopic,
  KafkaError,
  LostOffsetsError,
  MissingTopicError,
  RecreatedTopicError,
} from './errors.ts';
export { type FetchedRecord, recordBytes, recordTime, type SourceRecord } from './format/record-batch.ts';
export { startGroupAt } from './group-start.ts';
export { startConsumer } from './kafka-consumer.ts';
export type { PartitionBatch } from './partition-batch.ts';
export {
  isTooLarge,
  type KafkaProducer,
  type KafkaTransaction,
  type Message,
  type MessageHeaders,
  sendInHalves,
} from './producer.ts';
export { type Chunk, readChunks, type UnreadableRecord } from './read-chunks.ts';
export { type RangeOptions, rangeOf, readRange, type ScanProgress, type TopicRange } from './read-range.ts';
export { commitMetadata, readTopicId } from './topic-id.ts';
export { checkTopics, deadLetterTopic, topicSettings } from './topic-names.ts';
export {
  assertOffsetsInLog,
  assertSameTopic,
  type PartitionOffsets,
  readOffsets,
  recordAgesIn,
  startAt,
  watchedOffsets,
} from './topic-offsets.ts';

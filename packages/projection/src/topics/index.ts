export { ensureTopics } from './ensure-topics.ts';
export {
  DEAD_LETTER_ROOM,
  deadLetterConfig,
  eventsConfig,
  KAFKA_MESSAGE_BYTES,
  LARGEST_EVENT_BYTES,
  PARTITIONS,
  planReplication,
  type Replication,
} from './topic-plan.ts';
export { readOffsetsRetention, readTopicState, type TopicSetting, type TopicState } from './topic-state.ts';

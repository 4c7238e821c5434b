export { connectAdmin, createKafka } from './client.ts';
export {
  checkKafka,
  checkTopics,
  deadLetterTopic,
  type KafkaConnection,
  kafkaConnection,
  kafkaSettings,
} from './connection.ts';
export { createTopic } from './create-topic.ts';

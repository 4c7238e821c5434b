export { type AdminServer, type Readiness, startAdminServer } from './admin-server.ts';
export { createTopic } from './create-topic.ts';
export {
  checkElasticsearch,
  createElasticsearch,
  type ElasticsearchConnection,
  elasticsearchConnection,
} from './elasticsearch.ts';
export { measureElasticsearch } from './elasticsearch-metrics.ts';
export {
  checkKafka,
  checkTopics,
  connectAdmin,
  createKafka,
  deadLetterTopic,
  type KafkaConnection,
  kafkaConnection,
  kafkaSettings,
} from './kafka.ts';
export { type RunningService, runService } from './lifecycle.ts';
export { createLog, type Log } from './log.ts';
export { port, readSettings, SettingsError, settingsOrExit, sharedSettings } from './settings.ts';
export { traceExporter } from './trace-exporter.ts';

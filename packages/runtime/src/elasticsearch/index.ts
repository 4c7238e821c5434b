export {
  checkElasticsearch,
  createElasticsearch,
  type ElasticsearchConnection,
  elasticsearchConnection,
} from './client.ts';
export { failureReason } from './failure-reason.ts';
export { measureElasticsearch } from './metrics.ts';

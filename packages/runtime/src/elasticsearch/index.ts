export {
  checkElasticsearch,
  createElasticsearch,
  type ElasticsearchConnection,
  elasticsearchConnection,
} from './client.ts';
export { measureElasticsearch } from './metrics.ts';

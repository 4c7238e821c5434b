import type { Client } from '@elastic/elasticsearch';

/** The searches of one deployment's query service that Elasticsearch works on now, except the readiness probe; their tasks. */
export async function searchesOf(elasticsearch: Client, prefix: string): Promise<{ description: string; runningMs: number }[]> {
  const { nodes = {} } = await elasticsearch.tasks.list({ actions: 'indices:data/read/search', detailed: true });
  return Object.values(nodes)
    .flatMap(({ tasks }) => Object.values(tasks))
    .filter(({ headers }) => headers['X-Opaque-Id'] === `vitrine-query/${prefix}`)
    .map(({ description = '', running_time_in_nanos }) => ({ description, runningMs: Number(running_time_in_nanos) / 1e6 }));
}

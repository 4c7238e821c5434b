import type { Client } from '@elastic/elasticsearch';

/**
 * The tasks of the searches that Elasticsearch currently runs for one deployment's query service, except the
 * readiness probe.
 */
export async function searchesOf(
  elasticsearch: Client,
  prefix: string,
): Promise<{ description: string; runningMs: number }[]> {
  const { nodes = {} } = await elasticsearch.tasks.list({
    actions: 'indices:data/read/search',
    detailed: true,
  });
  return Object.values(nodes)
    .flatMap(({ tasks }) => Object.values(tasks))
    .filter(({ headers }) => headers['X-Opaque-Id'] === `vitrine-query/${prefix}`)
    .map(({ description = '', running_time_in_nanos }) => ({
      description,
      runningMs: Number(running_time_in_nanos) / 1e6,
    }));
}

/**
 * Decay functions per item. With 60,000 items a search takes more than 3 s. Each item takes microseconds,
 * which matters because Elasticsearch checks for cancellation per item.
 */
const FUNCTIONS = 1_200;

/**
 * Makes every search through `alias` take seconds in Elasticsearch, which checks for cancellation as usual.
 */
export async function slowSearches(elasticsearch: Client, index: string, alias: string): Promise<void> {
  const functions = Array.from({ length: FUNCTIONS }, (_, i) => ({
    gauss: { published_at: { origin: 1_796_000_000_000 - i, scale: 50_000_000_000 } },
  }));
  const filter = {
    function_score: {
      min_score: 1e-9,
      score_mode: 'sum' as const,
      boost_mode: 'replace' as const,
      functions,
    },
  };
  await elasticsearch.indices.updateAliases({ actions: [{ add: { index, alias, filter } }] });
}

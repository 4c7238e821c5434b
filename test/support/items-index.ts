import type { Client } from '@elastic/elasticsearch';
import { CURRENT_ITEMS, generationNames, type Item, itemsAlias, itemsIndexBody } from '@vitrine/feed-index';

export const itemsIndex = (prefix: string, generation: number): string =>
  generationNames(prefix, generation).items;

/**
 * Creates an empty items index.
 * @param options `live`: whether the index gets the alias of the live generation; `mapping`: its items mapping
 */
export async function createItemsIndex(
  elasticsearch: Client,
  prefix: string,
  generation: number,
  { shards = 1, resultWindow = 10_000, live = true, mapping = CURRENT_ITEMS.version } = {},
): Promise<void> {
  const { settings, mappings } = itemsIndexBody(mapping);
  await elasticsearch.indices.create({
    index: itemsIndex(prefix, generation),
    settings: { ...settings, number_of_shards: shards, max_result_window: resultWindow },
    mappings,
    ...(live && { aliases: { [itemsAlias(prefix)]: {} } }),
  });
}

/**
 * Adds items to an existing index and makes them visible. Large items take several requests, because
 * Elasticsearch accepts at most 100 MB in one.
 */
export async function indexItems(
  elasticsearch: Client,
  index: string,
  items: Item[],
  mapping = CURRENT_ITEMS,
): Promise<void> {
  if (items.length === 0) return;
  await elasticsearch.helpers.bulk({
    datasource: items.map(mapping.documentOf),
    onDocument: ({ id }) => ({ create: { _index: index, _id: id } }),
    onDrop: ({ error }) => {
      throw new Error(`Elasticsearch rejected an item: ${JSON.stringify(error)}`);
    },
    refreshOnCompletion: index,
  });
}

/**
 * The tasks of the searches that Elasticsearch currently runs for one deployment's query service, except the
 * readiness probe.
 */
export async function searchesOf(
  elasticsearch: Client,
  prefix: string,
): Promise<{ description: string; runningMs: number; isCancelled: boolean }[]> {
  const { nodes = {} } = await elasticsearch.tasks.list({
    actions: 'indices:data/read/search',
    detailed: true,
  });
  return Object.values(nodes)
    .flatMap(({ tasks }) => Object.values(tasks))
    .filter(({ headers }) => headers['X-Opaque-Id'] === `vitrine-query/${prefix}`)
    .map(({ description = '', running_time_in_nanos, cancelled }) => ({
      description,
      runningMs: Number(running_time_in_nanos) / 1e6,
      isCancelled: cancelled === true,
    }));
}

/**
 * Number of decay functions per item. With 60,000 items, a search takes more than 3 s. A cancellation takes
 * effect quickly, because Elasticsearch checks for it after each item, and one item takes only microseconds.
 */
const FUNCTIONS = 1_200;

/**
 * Makes every search of the live items take seconds in Elasticsearch, which checks for cancellation as usual.
 */
export async function slowSearches(elasticsearch: Client, prefix: string): Promise<void> {
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
  const [index, alias] = [itemsIndex(prefix, 1), itemsAlias(prefix)];
  await elasticsearch.indices.updateAliases({ actions: [{ add: { index, alias, filter } }] });
}

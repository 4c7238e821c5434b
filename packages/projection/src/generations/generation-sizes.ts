import type { Client } from '@elastic/elasticsearch';
import { changesPattern, type Generation, generationOfChanges } from '@vitrine/feed-index';

/** Counts the listings in the two indices of a generation. @throws ElasticsearchClientError */
export async function countListings(
  client: Client,
  { states, items }: Pick<Generation, 'states' | 'items'>,
  signal?: AbortSignal,
): Promise<{ items: number; states: number; hidden: Record<string, number> }> {
  const options = signal && { signal };
  const [found, counted] = await Promise.all([
    client.search<unknown, { reasons: { buckets: { key: string; doc_count: number }[] } }>(
      {
        index: states,
        size: 0,
        track_total_hits: true,
        aggs: { reasons: { terms: { field: 'hidden', size: 100 } } },
      },
      options,
    ),
    client.count({ index: items }, options),
  ]);
  const { total } = found.hits;
  return {
    items: counted.count,
    states: typeof total === 'number' ? total : (total?.value ?? 0),
    hidden: Object.fromEntries(
      (found.aggregations?.reasons.buckets ?? []).map(({ key, doc_count }) => [key, doc_count]),
    ),
  };
}

export interface ChangesSize {
  generation: number;
  /** The number of entries at the last refresh of the index. */
  entries: number;
  /** The size of the index, including replicas. */
  bytes: number;
}

/**
 * Reads the sizes of all changes indices, including the indices that a prune has kept.
 * @throws ElasticsearchClientError
 */
export async function readChangesSizes(
  client: Client,
  prefix: string,
  signal?: AbortSignal,
): Promise<ChangesSize[]> {
  const { indices } = await client.indices.stats(
    { index: changesPattern(prefix), metric: ['docs', 'store'] },
    signal && { signal },
  );
  return Object.entries(indices ?? {}).flatMap(([index, { primaries, total }]) => {
    const generation = generationOfChanges(prefix, index);
    const [entries, bytes] = [primaries?.docs?.count ?? 0, total?.store?.size_in_bytes ?? 0];
    return generation === undefined ? [] : [{ generation, entries, bytes }];
  });
}

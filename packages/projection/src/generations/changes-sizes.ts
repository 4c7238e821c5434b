import type { Client } from '@elastic/elasticsearch';
import { changesPattern, generationOfChanges } from '@vitrine/feed-index';

/** The size of a changes index. */
export interface ChangesSize {
  generation: number;
  /** Number of entries at the last refresh of the index. */
  entries: number;
  /** Including replicas. */
  bytes: number;
}

/**
 * Reads the sizes of all changes indices, including those that a prune has kept.
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

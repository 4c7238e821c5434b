import type { Client, estypes } from '@elastic/elasticsearch';
import { ElasticsearchUnavailableError, isTooLarge } from './elasticsearch-unavailable.ts';

/**
 * Reads documents from an index by id, in real time and in the order of the ids. If Elasticsearch or a proxy
 * refuses the request because of its size (413), reads each half of the ids separately.
 */
export async function multiGet<D>(
  client: Client,
  { ids, ...request }: Omit<estypes.MgetRequest, 'ids' | 'docs'> & { index: string; ids: readonly string[] },
  signal?: AbortSignal,
): Promise<estypes.MgetResponseItem<D>[]> {
  try {
    const { docs } = await client.mget<D>({ ...request, ids: [...ids] }, signal && { signal });
    return docs;
  } catch (error) {
    if (!isTooLarge(error) || ids.length < 2) throw error;
    const middle = Math.ceil(ids.length / 2);
    const read = (some: readonly string[]) => multiGet<D>(client, { ...request, ids: some }, signal);
    return [...(await read(ids.slice(0, middle))), ...(await read(ids.slice(middle)))];
  }
}

/** The version of an existing document, and its source if the request asks for it. */
export interface StoredDocument<D> {
  version: number;
  source: D | undefined;
}

/** Reads the documents with these ids that exist, in real time. @throws ElasticsearchUnavailableError */
export async function readExisting<D>(
  client: Client,
  index: string,
  ids: readonly string[],
  { source, signal }: { source: boolean; signal: AbortSignal | undefined },
): Promise<Map<string, StoredDocument<D>>> {
  if (ids.length === 0) return new Map();
  const found = new Map<string, StoredDocument<D>>();
  for (const doc of await multiGet<D>(client, { index, ids, _source: source }, signal)) {
    if ('error' in doc)
      throw new ElasticsearchUnavailableError(`could not read ${doc._id} in ${index}: ${doc.error.type}`);
    if (doc.found) found.set(doc._id, { version: doc._version as number, source: doc._source });
  }
  return found;
}

/**
 * Makes all writes to the indices searchable.
 * @throws ElasticsearchUnavailableError if the refresh of a shard failed, because a search would miss the
 * newest documents
 */
export async function refresh(client: Client, index: string | string[]): Promise<void> {
  const { _shards: shards } = await client.indices.refresh({ index });
  const failed = shards?.failed ?? 0;
  if (failed > 0)
    throw new ElasticsearchUnavailableError(
      `could not refresh ${failed} of ${shards?.total} shards of ${[index].flat().join(', ')}`,
    );
}

/** Sequence numbers in an index with one shard. They are -1 if the index has no operations yet. */
export interface ShardCheckpoint {
  /** Every in-sync copy has every operation up to this number. */
  checkpoint: number;
  /** The highest number of any operation, even if not every copy has the operation yet. */
  last: number;
}

/**
 * Reads the checkpoint of an index with one shard, from its primary.
 * @throws ElasticsearchUnavailableError while the primary has not started
 */
export async function readCheckpoint(
  client: Client,
  index: string,
  signal?: AbortSignal,
): Promise<ShardCheckpoint> {
  // The response contains the sequence numbers for every metric. This metric is the cheapest one.
  const { indices } = await client.indices.stats(
    { index, level: 'shards', metric: 'docs' },
    signal && { signal },
  );
  const copies = Object.values(indices ?? {}).flatMap(({ shards }) => Object.values(shards ?? {}).flat());
  const numbers = copies.find(({ routing, seq_no }) => routing?.primary && seq_no)?.seq_no;
  if (!numbers) throw new ElasticsearchUnavailableError(`the shard of ${index} has not started yet`);
  return { checkpoint: numbers.global_checkpoint, last: numbers.max_seq_no };
}

import type { Client } from '@elastic/elasticsearch';
import { ElasticsearchUnavailableError } from './elasticsearch-unavailable.ts';

/** Sequence numbers of an index with one shard, from -1. */
export interface ShardCheckpoint {
  /** Every operation up to this number is on every in-sync copy. */
  checkpoint: number;
  /** The highest number of any operation, even if the operation is not on every copy yet. */
  last: number;
}

/**
 * Reads the checkpoint of an index with one shard, from its primary.
 * @throws ElasticsearchUnavailableError while the primary has not started; the client's errors
 */
export async function readCheckpoint(
  client: Client,
  index: string,
  signal?: AbortSignal,
): Promise<ShardCheckpoint> {
  // The sequence numbers come with every metric. This metric is the cheapest one.
  const { indices } = await client.indices.stats(
    { index, level: 'shards', metric: 'docs' },
    signal && { signal },
  );
  const copies = Object.values(indices ?? {}).flatMap(({ shards }) => Object.values(shards ?? {}).flat());
  const numbers = copies.find(({ routing, seq_no }) => routing?.primary && seq_no)?.seq_no;
  if (!numbers) throw new ElasticsearchUnavailableError(`the shard of ${index} has not started yet`);
  return { checkpoint: numbers.global_checkpoint, last: numbers.max_seq_no };
}

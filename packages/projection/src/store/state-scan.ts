import { type Client, errors } from '@elastic/elasticsearch';
import { failureReason } from '@vitrine/runtime/elasticsearch';
import { ElasticsearchUnavailableError } from './elasticsearch-unavailable.ts';
import { refresh } from './index-requests.ts';
import { ClusterSettingError, snapshotPages } from './snapshot-pages.ts';
import type { StateDocument } from './state-store.ts';

export interface ScannedState {
  id: string;
  revision: number;
  document: StateDocument;
}

/** States from one shard, with sequence numbers above `after` and up to `last`. */
export interface StatePage {
  shard: string;
  after: number;
  last: number;
  states: ScannedState[];
}

/** A part of a shard: the sequence numbers above `after`. If `last` is absent, they have no end. */
interface ShardRange {
  shard: string;
  after: number;
  last?: number;
}

/**
 * Finds the shards of a states index, with the highest sequence number in each shard (-1 if the shard is
 * empty).
 * @throws ElasticsearchUnavailableError while a shard has not started
 */
export async function shardsOf(client: Client, index: string): Promise<{ shard: string; highest: number }[]> {
  const { indices } = await client.indices.stats({ index, level: 'shards' });
  const shards = Object.values(indices ?? {}).flatMap(({ shards }) => Object.entries(shards ?? {}));
  const started = shards.flatMap(([shard, copies]) => {
    const highest = copies.find(({ routing }) => routing?.primary)?.seq_no?.max_seq_no;
    return highest === undefined ? [] : [{ shard, highest }];
  });
  if (shards.length === 0 || started.length < shards.length)
    throw new ElasticsearchUnavailableError(`some shards of ${index} have not started yet`);
  return started;
}

/**
 * Counts the states. The result is approximate, because other processes may write states at the same time.
 * @throws ElasticsearchUnavailableError
 */
export async function countStates(client: Client, index: string): Promise<number> {
  await refresh(client, index);
  return (await client.count({ index })).count;
}

/**
 * Reads a part of a shard's states at one point in time, in the order of their last writes. An interrupted
 * scan can continue after any page at another point in time, because later writes have higher sequence
 * numbers.
 * @throws ElasticsearchUnavailableError; ClusterSettingError
 */
export async function* scanShard(
  client: Client,
  index: string,
  { shard, after: from, last: end }: ShardRange,
  signal: AbortSignal,
): AsyncGenerator<StatePage> {
  const request = {
    index,
    preference: `_shards:${shard}`,
    sort: [{ _seq_no: 'asc' as const }],
    query: { range: { _seq_no: { gt: from, ...(end !== undefined && { lte: end }) } } },
  };
  let after = from;
  try {
    for await (const hits of snapshotPages<StateDocument>(client, request, signal)) {
      if (hits.length === 0) return;
      const last = hits.at(-1)?.sort?.[0] as number;
      const states = hits.map(({ _id, _version, _source }) => ({
        id: _id as string,
        revision: _version as number,
        document: _source as StateDocument,
      }));
      yield { shard, after, last, states };
      after = last;
    }
  } catch (error) {
    if (error instanceof ClusterSettingError) throw error;
    // If the point in time is lost, the caller opens a new one. If the index is lost, the scan cannot
    // continue.
    if (error instanceof errors.ResponseError && error.body?.error?.type === 'index_not_found_exception')
      throw error;
    throw new ElasticsearchUnavailableError(`could not scan states: ${failureReason(error)}`, {
      cause: error,
    });
  }
}

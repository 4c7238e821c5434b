import { type Client, errors } from '@elastic/elasticsearch';
import { ElasticsearchUnavailableError } from './elasticsearch-unavailable.ts';
import { refresh } from './refresh.ts';
import { snapshotPages } from './snapshot-pages.ts';
import type { StateDocument } from './state-document.ts';

/** A scanned state. `revision` is the version of the state document. */
export interface ScannedState {
  id: string;
  revision: number;
  document: StateDocument;
}

/** States of one shard with sequence numbers above `after` and up to `last`. */
export interface StatePage {
  shard: string;
  after: number;
  last: number;
  states: ScannedState[];
}

/** The part of a shard that remains to be read: sequence numbers above `after`. */
export interface ShardRange {
  shard: string;
  after: number;
}

/**
 * Finds the unread range of each shard of a states index. @throws ElasticsearchUnavailableError while a shard
 * has not started
 */
export async function rangesOf(
  client: Client,
  index: string,
  done: Readonly<Record<string, number>>,
): Promise<ShardRange[]> {
  const { indices } = await client.indices.stats({ index, level: 'shards' });
  const shards = Object.values(indices ?? {}).flatMap(({ shards }) => Object.entries(shards ?? {}));
  if (
    shards.length === 0 ||
    shards.some(([, copies]) => !copies.some(({ routing, seq_no }) => routing?.primary && seq_no))
  )
    throw new ElasticsearchUnavailableError(`some shards of ${index} have not started yet`);
  return shards.map(([shard]) => ({ shard, after: done[shard] ?? -1 }));
}

/**
 * Counts the states in these ranges. The result is approximate, because other processes may write states at
 * the same time. @throws ElasticsearchUnavailableError
 */
export async function countStates(
  client: Client,
  index: string,
  ranges: readonly ShardRange[],
): Promise<number> {
  await refresh(client, index);
  const counts = await Promise.all(
    ranges.map(({ shard, after }) =>
      client.count({ index, preference: `_shards:${shard}`, query: above(after) }),
    ),
  );
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Reads the states of a shard at one point in time, in the order of their last writes. An interrupted scan
 * can continue after any page at another point in time, because later writes have higher sequence numbers.
 * @throws ElasticsearchUnavailableError
 */
export async function* scanShard(
  client: Client,
  index: string,
  { shard, after: from }: ShardRange,
  signal: AbortSignal,
): AsyncGenerator<StatePage> {
  const request = {
    index,
    preference: `_shards:${shard}`,
    sort: [{ _seq_no: 'asc' as const }],
    query: above(from),
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
    // If the point in time is lost, the caller opens a new one. If the index is lost, the scan cannot
    // continue.
    if (error instanceof errors.ResponseError && error.body?.error?.type === 'index_not_found_exception')
      throw error;
    throw new ElasticsearchUnavailableError(
      `could not scan states: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

const above = (after: number) => ({ range: { _seq_no: { gt: after } } });

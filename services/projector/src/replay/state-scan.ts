import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import { SystemTrouble } from '../bulk-writer.ts';
import type { StateDocument } from '../state-document.ts';

/** A state as a scan finds it; `revision` is its document's version. */
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

/** The part of a shard that is to be read: sequence numbers above `after`. */
export interface ShardRange {
  shard: string;
  after: number;
}

const LARGEST_PAGE = 1_000;
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** For so long a page may take. */
const KEPT = '10m';

/** The shards of a states index, and what of them is not done yet. @throws SystemTrouble while one is not started */
export async function rangesOf(client: Client, index: string, done: Readonly<Record<string, number>>): Promise<ShardRange[]> {
  const { indices } = await client.indices.stats({ index, level: 'shards' });
  const shards = Object.values(indices ?? {}).flatMap(({ shards }) => Object.entries(shards ?? {}));
  if (shards.length === 0 || shards.some(([, copies]) => !copies.some(({ routing, seq_no }) => routing?.primary && seq_no)))
    throw new SystemTrouble(`${index} is not started yet`);
  return shards.map(([shard]) => ({ shard, after: done[shard] ?? -1 }));
}

/** How many states lie in these ranges, about: others may be written at the same time. */
export async function countStates(client: Client, index: string, ranges: readonly ShardRange[]): Promise<number> {
  await client.indices.refresh({ index });
  const counts = await Promise.all(ranges.map(({ shard, after }) => client.count({ index, preference: `_shards:${shard}`, query: above(after) })));
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Reads a shard's states at one point in time, in the order in which they were last written. A scan that
 * ended can go on at any page, at another point in time: what was written meanwhile has a higher number
 * than all that was read before, and is read as it is then.
 * @throws SystemTrouble
 */
export async function* scanShard(client: Client, index: string, { shard, after: from }: ShardRange, signal: AbortSignal): AsyncGenerator<StatePage> {
  let id = await openSnapshot(client, index, shard);
  try {
    let size = LARGEST_PAGE;
    for (let after = from; ; ) {
      const found = await read(client, id, after, size, signal);
      if (found === 'too large') {
        size = Math.ceil(size / 4);
        continue;
      }
      id = found.pit_id ?? id;
      const { hits } = found.hits;
      if (hits.length === 0) return;
      const last = hits.at(-1)?.sort?.[0] as number;
      const states = hits.map(({ _id, _version, _source }) => ({
        id: _id as string,
        revision: _version as number,
        document: _source as StateDocument,
      }));
      yield { shard, after, last, states };
      if (hits.length < size) return;
      after = last;
      size = Math.min(size * 2, LARGEST_PAGE);
    }
  } finally {
    await client.closePointInTime({ id }).catch(() => undefined);
  }
}

async function openSnapshot(client: Client, index: string, shard: string): Promise<string> {
  try {
    // A scan that goes on must not look at a view from before the pages that it has behind it.
    await client.indices.refresh({ index });
    return (await client.openPointInTime({ index, preference: `_shards:${shard}`, keep_alive: KEPT })).id;
  } catch (error) {
    throw asTrouble(error);
  }
}

async function read(
  client: Client,
  id: string,
  after: number,
  size: number,
  signal: AbortSignal,
): Promise<estypes.SearchResponse<StateDocument> | 'too large'> {
  // One document alone always fits, its parts being bounded.
  const limit = size > 1 ? { maxResponseSize: MAX_PAGE_BYTES, maxCompressedResponseSize: MAX_PAGE_BYTES } : {};
  try {
    const found = await client.search<StateDocument>(
      { pit: { id, keep_alive: KEPT }, size, version: true, track_total_hits: false, sort: [{ _seq_no: 'asc' }], query: above(after) },
      { ...limit, signal },
    );
    if (found.timed_out || found._shards.failed > 0) throw new SystemTrouble('a scan of the states was answered in part');
    return found;
  } catch (error) {
    if (error instanceof errors.RequestAbortedError && !signal.aborted && size > 1) return 'too large';
    throw asTrouble(error);
  }
}

/** A lost point in time is trouble, after which another is opened; a lost index is not. */
function asTrouble(error: unknown): unknown {
  if (error instanceof SystemTrouble) return error;
  if (error instanceof errors.ResponseError && error.body?.error?.type === 'index_not_found_exception') return error;
  return new SystemTrouble(`states could not be scanned: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

const above = (after: number) => ({ range: { _seq_no: { gt: after } } });

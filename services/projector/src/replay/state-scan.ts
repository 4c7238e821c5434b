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

/** The part of a shard that is to be read: sequence numbers above `after`, up to `upTo`. */
export interface ShardRange {
  shard: string;
  after: number;
  upTo: number;
}

const LARGEST_PAGE = 1_000;
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** Everything that a states index holds now, by shard, as far as it is not done already; visible to searches when this resolves. */
export async function rangesOf(client: Client, index: string, done: Readonly<Record<string, number>>): Promise<ShardRange[]> {
  await client.indices.refresh({ index });
  const { indices } = await client.indices.stats({ index, level: 'shards' });
  const shards = Object.values(indices ?? {}).flatMap(({ shards }) => Object.entries(shards ?? {}));
  return shards.map(([shard, copies]) => {
    const primary = copies.find(({ routing }) => routing?.primary);
    return { shard, after: done[shard] ?? -1, upTo: primary?.seq_no?.max_seq_no ?? -1 };
  });
}

/** How many states lie in these ranges. */
export async function countStates(client: Client, index: string, ranges: readonly ShardRange[]): Promise<number> {
  const counts = await Promise.all(
    ranges.map(({ shard, after, upTo }) => client.count({ index, preference: `_shards:${shard}`, query: between(after, upTo) })),
  );
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Reads a shard's states in the order in which they were last written. What is written again meanwhile
 * moves behind the end and is not seen: whoever scans knows who else writes, and what follows from it.
 * Nothing is held open in Elasticsearch, so a scan can end and go on at any page.
 * @throws SystemTrouble
 */
export async function* scanShard(client: Client, index: string, range: ShardRange, signal: AbortSignal): AsyncGenerator<StatePage> {
  let { after } = range;
  let size = LARGEST_PAGE;
  while (after < range.upTo) {
    const hits = await read(client, index, { ...range, after }, size, signal);
    if (hits === 'too large') {
      size = Math.ceil(size / 4);
      continue;
    }
    const last = hits.length < size ? range.upTo : (hits.at(-1)?.sort?.[0] as number);
    const states = hits.map(({ _id, _version, _source }) => ({
      id: _id as string,
      revision: _version as number,
      document: _source as StateDocument,
    }));
    yield { shard: range.shard, after, last, states };
    after = last;
    size = Math.min(size * 2, LARGEST_PAGE);
  }
}

async function read(
  client: Client,
  index: string,
  { shard, after, upTo }: ShardRange,
  size: number,
  signal: AbortSignal,
): Promise<estypes.SearchHit<StateDocument>[] | 'too large'> {
  // One document alone always fits, its parts being bounded.
  const limit = size > 1 ? { maxResponseSize: MAX_PAGE_BYTES, maxCompressedResponseSize: MAX_PAGE_BYTES } : {};
  try {
    const { hits, timed_out, _shards } = await client.search<StateDocument>(
      {
        index,
        preference: `_shards:${shard}`,
        size,
        version: true,
        track_total_hits: false,
        sort: [{ _seq_no: 'asc' }],
        query: between(after, upTo),
      },
      { ...limit, signal },
    );
    if (timed_out || _shards.failed > 0) throw new SystemTrouble('a scan of the states was answered in part');
    return hits.hits;
  } catch (error) {
    if (error instanceof errors.RequestAbortedError && !signal.aborted && size > 1) return 'too large';
    if (error instanceof SystemTrouble) throw error;
    throw new SystemTrouble(`states could not be scanned: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

const between = (after: number, upTo: number) => ({ range: { _seq_no: { gt: after, lte: upTo } } });

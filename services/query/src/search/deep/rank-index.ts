import { joinRanges, type OrderRange } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import type { SearchLimiter } from '../search-limiter.ts';
import type { SharedCounts } from '../shared-counts.ts';
import { type CountSearch, countOrder, splitRange } from './range-split.ts';

/** The position of a rank in an order: in `range`, after `offset` of its items. */
interface RankLocation {
  range: OrderRange;
  offset: number;
}

/**
 * Locates ranks of an order without visiting the items before them. It counts items by ranges of the sort
 * key, then splits the range that contains the rank, until that range is short enough to search from its
 * beginning.
 */
export interface RankIndex {
  total(): Promise<number>;
  /**
   * @param rank 0-based, below the total
   * @param size number of items to read from `rank`. The returned range contains all of them if possible.
   */
  locate(rank: number, size: number): Promise<RankLocation>;
}

export interface RankIndexOptions {
  /** Maximum number of items that a search may skip in a range. */
  maxSkipped: number;
  /** The counts of one point in time. Rank indices share them. */
  counts: SharedCounts;
  /**
   * Admits counts by distance. Such a count visits all matching items, and each point needs its own count.
   */
  distanceCountLimiter: SearchLimiter;
  /** Searches the point in time of the counts until the signal aborts. */
  search: (request: Parameters<CountSearch>[0], signal: AbortSignal) => ReturnType<CountSearch>;
  /** Aborts the counts for which no other page waits. */
  signal: AbortSignal;
}

export function createRankIndex(
  matching: Matching,
  { maxSkipped, counts, distanceCountLimiter, search, signal }: RankIndexOptions,
): RankIndex {
  const name = JSON.stringify(matching);
  const count = <T>(part: string, work: (countSearch: CountSearch) => Promise<T>): Promise<T> =>
    counts.read(
      name + part,
      (stop) => {
        const begin = () => work((request) => search(request, stop));
        return matching.order === 'newest' ? begin() : distanceCountLimiter.pass(begin, stop);
      },
      signal,
    );
  const whole = () => count('', (countSearch) => countOrder(matching, countSearch));
  const parts = (range: OrderRange) =>
    count(JSON.stringify(range), (countSearch) => splitRange(range, matching, maxSkipped, countSearch));
  return {
    total: async () => (await whole()).total,
    async locate(rank, size) {
      let { ranges } = await whole();
      let { index, offset } = rangeAt(ranges, rank);
      for (let range = ranges[index]; range && range.count > maxSkipped; range = ranges[index]) {
        ranges = await parts(range);
        ({ index, offset } = rangeAt(ranges, offset));
      }
      return { range: joinUntil(ranges.slice(index), offset + size, maxSkipped), offset };
    },
  };
}

/**
 * Among consecutive ranges, the index of the one that contains `rank`, and the number of its items before
 * `rank`.
 */
export function rangeAt(ranges: OrderRange[], rank: number): { index: number; offset: number } {
  let offset = rank;
  for (const [index, { count }] of ranges.entries()) {
    if (offset < count) return { index, offset };
    offset -= count;
  }
  throw new Error(`rank ${rank} exceeds the number of counted items`);
}

/**
 * The first range, joined with the following ranges until the result has `count` items, so that one search
 * can return all these items.
 */
export function joinUntil(
  [first, ...following]: OrderRange[],
  count: number,
  maxSkipped: number,
): OrderRange {
  if (first === undefined) throw new Error('the rank index has no range');
  let joined = first;
  for (const next of following) {
    const both = joined.count < count && next.count <= maxSkipped ? joinRanges(joined, next) : undefined;
    if (both === undefined) break;
    joined = both;
  }
  return joined;
}

import { valueOrderOf } from '../order/feed-order.ts';
import { joinRanges, type OrderRange } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import type { SearchLimiter } from '../search-limiter.ts';
import type { SharedCounts } from '../shared-point-in-time.ts';
import { type CountSearch, countOrder, splitRange } from './range-split.ts';

/**
 * In a ring, a search cannot skip items by number (`deep-page.ts`). A search reads up to this number of extra
 * items instead. Reading them takes less time than another search.
 */
export const MAX_EXTRA_ITEMS = 40;

/** The location of a rank in an order: after the first `offset` items of `range`. */
interface RankLocation {
  range: OrderRange;
  offset: number;
}

/**
 * Locates ranks in an order without visiting the preceding items. The rank index counts items by ranges of
 * the sort key, and then repeatedly splits the range that contains the rank until the range is short enough
 * to search from its beginning.
 */
export interface RankIndex {
  total(): Promise<number>;
  /**
   * @param rank counts from 0 and must be below the total
   * @param size number of items to read from `rank`. The returned range contains all of them if possible.
   */
  locate(rank: number, size: number): Promise<RankLocation>;
}

export interface RankIndexOptions {
  /** Maximum number of items that a search may skip in a range. */
  maxSkipped: number;
  /** The counts for one point in time, which rank indices share. */
  counts: SharedCounts;
  /**
   * Limits counts by distance, because such a count visits all matching items, and each point needs its own
   * count.
   */
  distanceCountLimiter: SearchLimiter;
  /** Searches the same point in time as the counts, until the signal aborts. */
  search: (request: Parameters<CountSearch>[0], signal: AbortSignal) => ReturnType<CountSearch>;
  /** Aborts the counts, unless another page is waiting for them. */
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
        return valueOrderOf(matching.order) ? begin() : distanceCountLimiter.pass(begin, stop);
      },
      signal,
    );
  const whole = () => count('', (countSearch) => countOrder(matching, countSearch));
  const parts = (range: OrderRange) =>
    count(JSON.stringify(range), (countSearch) => splitRange(range, matching, maxSkipped, countSearch));
  const isTooLong = (range: OrderRange, offset: number): boolean =>
    range.count > maxSkipped || (range.by === 'distance' && offset > MAX_EXTRA_ITEMS);
  return {
    total: async () => (await whole()).total,
    async locate(rank, size) {
      let { ranges } = await whole();
      let { index, offset } = rangeAt(ranges, rank);
      for (let range = ranges[index]; range && isTooLong(range, offset); range = ranges[index]) {
        ranges = await parts(range);
        ({ index, offset } = rangeAt(ranges, offset));
        // Without this check, wrong counts could make a range its own part forever.
        if ((ranges[index]?.count ?? 0) >= range.count)
          throw new Error(`a part of a range with ${range.count} items is not smaller than the range`);
      }
      return { range: joinUntil(ranges.slice(index), offset + size, maxSkipped), offset };
    },
  };
}

/**
 * Finds the range that contains `rank` among consecutive ranges. Returns its index, and the number of its
 * items before `rank`.
 */
export function rangeAt(ranges: OrderRange[], rank: number): { index: number; offset: number } {
  let offset = rank;
  for (const [index, { count }] of ranges.entries()) {
    if (offset < count) return { index, offset };
    offset -= count;
  }
  throw new Error(`rank ${rank} is beyond the last counted item`);
}

/**
 * Joins the first range with the following ranges until the result has `count` items, so that one search can
 * return all these items.
 */
export function joinUntil(
  [first, ...following]: OrderRange[],
  count: number,
  maxSkipped: number,
): OrderRange {
  if (first === undefined) throw new Error('the rank index has no ranges');
  let joined = first;
  for (const next of following) {
    const both = joined.count < count && next.count <= maxSkipped ? joinRanges(joined, next) : undefined;
    if (both === undefined) break;
    joined = both;
  }
  return joined;
}

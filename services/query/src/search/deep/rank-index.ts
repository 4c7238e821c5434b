import { joined, type Stretch } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import type { SearchLimiter } from '../search-limiter.ts';
import type { SharedCounts } from '../shared-counts.ts';
import { type Look, splitStretch, wholeOrder } from './range-split.ts';

/** The position of a rank in an order: in `stretch`, after `rest` of its items. */
interface Location {
  stretch: Stretch;
  rest: number;
}

/**
 * Locates ranks of an order without visiting the items before them. It counts items by stretches of the sort
 * key, then splits the stretch that contains the rank, until that stretch is short enough to search from its
 * beginning.
 */
export interface RankDirectory {
  total(): Promise<number>;
  /**
   * @param rank 0-based, below the total
   * @param size number of items to read from `rank`. The returned stretch contains all of them if possible.
   */
  locate(rank: number, size: number): Promise<Location>;
}

export interface RankDirectoryOptions {
  /** Maximum number of items that a search may skip in a stretch. */
  longest: number;
  /** The counts of one point in time. Directories share them. */
  counts: SharedCounts;
  /** Admits counts by distance. They visit all matching items, separately for each point. */
  scans: SearchLimiter;
  /** Searches that point in time until the signal aborts. */
  search: (request: Parameters<Look>[0], signal: AbortSignal) => ReturnType<Look>;
  /** Aborts the counts for which no other page waits. */
  signal: AbortSignal;
}

export function createRankDirectory(matching: Matching, { longest, counts, scans, search, signal }: RankDirectoryOptions): RankDirectory {
  const name = JSON.stringify(matching);
  const count = <T>(part: string, work: (look: Look) => Promise<T>): Promise<T> =>
    counts.read(
      name + part,
      (stop) => {
        const begin = () => work((request) => search(request, stop));
        return matching.order === 'newest' ? begin() : scans.pass(begin, stop);
      },
      signal,
    );
  const whole = () => count('', (look) => wholeOrder(matching, look));
  const parts = (stretch: Stretch) => count(JSON.stringify(stretch), (look) => splitStretch(stretch, matching, longest, look));
  return {
    total: async () => (await whole()).total,
    async locate(rank, size) {
      let { stretches } = await whole();
      let { index, rest } = indexOf(stretches, rank);
      for (let stretch = stretches[index]; stretch && stretch.count > longest; stretch = stretches[index]) {
        stretches = await parts(stretch);
        ({ index, rest } = indexOf(stretches, rest));
      }
      return { stretch: wideEnough(stretches.slice(index), rest + size, longest), rest };
    },
  };
}

/**
 * Among consecutive stretches, the index of the one that contains `rank`, and the number of its items before
 * `rank`.
 */
export function indexOf(stretches: Stretch[], rank: number): { index: number; rest: number } {
  let rest = rank;
  for (const [index, { count }] of stretches.entries()) {
    if (rest < count) return { index, rest };
    rest -= count;
  }
  throw new Error(`rank ${rank} is beyond the counted items`);
}

/**
 * The first stretch, joined with following ones until it has `count` items, so that one search can return all
 * of them.
 */
export function wideEnough([first, ...following]: Stretch[], count: number, longest: number): Stretch {
  if (first === undefined) throw new Error('there is no stretch');
  let wide = first;
  for (const next of following) {
    const both = wide.count < count && next.count <= longest ? joined(wide, next) : undefined;
    if (both === undefined) break;
    wide = both;
  }
  return wide;
}

import type { SearchLimiter } from './search-limiter.ts';
import type { SharedCounts } from './shared-counts.ts';
import { joined, type Stretch } from './stretch.ts';
import type { Matching } from './stretch-searches.ts';
import { type Look, splitStretch, wholeOrder } from './stretch-split.ts';

/** The position of a rank in an order: in this stretch, behind `rest` of its items. */
interface Location {
  stretch: Stretch;
  rest: number;
}

/**
 * Locates ranks of an order without visiting the items before them: it counts the items by stretches of the sort key,
 * and the stretch that holds the rank by finer stretches, until one is short enough to be searched from its beginning.
 */
export interface RankDirectory {
  total(): Promise<number>;
  /**
   * @param rank counted from 0, below the total
   * @param size number of items wanted from there; the stretch holds them all where it can
   */
  locate(rank: number, size: number): Promise<Location>;
}

export interface RankDirectoryOptions {
  /** Maximum number of items of a stretch that are skipped. */
  longest: number;
  /** The counts of one point in time, which directories share. */
  counts: SharedCounts;
  /** Admits counts by distance: they visit all matching items, for every point anew. */
  scans: SearchLimiter;
  /** Searches that point in time, as long as the signal allows. */
  search: (request: Parameters<Look>[0], signal: AbortSignal) => ReturnType<Look>;
  /** Gives up the counts that no other page waits for. */
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

/** The one of consecutive stretches that holds the item of `rank`, and how many of its items precede that. */
export function indexOf(stretches: Stretch[], rank: number): { index: number; rest: number } {
  let rest = rank;
  for (const [index, { count }] of stretches.entries()) {
    if (rest < count) return { index, rest };
    rest -= count;
  }
  throw new Error(`rank ${rank} is beyond what was counted`);
}

/** The first stretch, joined with the following ones until they hold `count` items, so that one search finds them all. */
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

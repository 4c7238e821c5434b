import { LRUCache } from 'lru-cache';
import { joined, type Stretch } from './stretch.ts';
import type { Matching } from './stretch-searches.ts';
import { type Look, splitStretch, wholeOrder } from './stretch-split.ts';

/** What a directory has found out, for all the filters and orders of one point in time. Every entry is one answer of Elasticsearch. */
export type DirectoryCache = LRUCache<string, Promise<unknown>>;

/** An entry has at most some thousand small objects, so that all of them stay in the tens of megabytes. */
const MAX_ENTRIES = 200;

export const createDirectoryCache = (): DirectoryCache => new LRUCache({ max: MAX_ENTRIES });

/** Where in an order a rank is: in this stretch, behind `rest` of its items. */
interface Location {
  stretch: Stretch;
  rest: number;
}

/**
 * Tells at which rank of an order its items are, without going there: it counts the items by
 * stretches of the sort key, and those of the one that matters again by finer stretches, until one
 * is short enough to be searched from its beginning.
 */
export interface RankDirectory {
  total(): Promise<number>;
  /**
   * @param rank counted from 0, below the total
   * @param size how many items are wanted from there: the stretch has so many if it can
   */
  locate(rank: number, size: number): Promise<Location>;
}

/**
 * @param longest how many items of a stretch are skipped at most
 * @param look searches the point in time that `cache` belongs to
 */
export function createRankDirectory(matching: Matching, longest: number, cache: DirectoryCache, look: Look): RankDirectory {
  const name = JSON.stringify(matching);
  const whole = () => once(cache, name, () => wholeOrder(matching, look));
  const parts = (stretch: Stretch) => once(cache, `${name}${JSON.stringify(stretch)}`, () => splitStretch(stretch, matching, longest, look));
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

/** Which of consecutive stretches has the item of `rank`, and how many of its items are before that. */
export function indexOf(stretches: Stretch[], rank: number): { index: number; rest: number } {
  let rest = rank;
  for (const [index, { count }] of stretches.entries()) {
    if (rest < count) return { index, rest };
    rest -= count;
  }
  throw new Error(`rank ${rank} is beyond what was counted`);
}

/** The first stretch, with those behind it until there are `count` items, so that one search finds them all. */
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

/** The result that `cache` has under `name`, or `make`'s, which is kept unless it fails. */
export async function once<T>(cache: LRUCache<string, Promise<T>> | DirectoryCache, name: string, make: () => Promise<T>): Promise<T> {
  const known = cache.get(name) as Promise<T> | undefined;
  if (known) return known;
  const made = make();
  cache.set(name, made);
  made.catch(() => cache.get(name) === made && cache.delete(name));
  return made;
}

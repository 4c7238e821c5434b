import { replaceNames } from '@vitrine/web';
import type { RequestBudget } from '../../budget/request-budget.ts';
import { feedQuery } from '../../search/feed-query.ts';
import type { FeedSearch } from '../../search/feed-search.ts';
import type { SearchLimiter } from '../../search/search-limiter.ts';

export interface FacetNameOptions {
  search: Pick<FeedSearch, 'facet'>;
  /** Admits the searches together with the pages of the feeds. */
  limiter: SearchLimiter;
  newBudget: () => RequestBudget;
  today: () => string;
  localRadiusKm: number;
}

/**
 * Reads the names of the categories and of the cities for the first view, because its URL contains only
 * slugs. Views share one reading, which never rejects. Each reading replaces the previous names, so the names
 * of past listings take no memory.
 * @returns a number that grows when the names of a facet have been read. It is 0 until then.
 */
export type ReadNames = () => Promise<number>;

/** New names are rare, and a view without them is still readable. */
const LIFETIME_MS = 10 * 60 * 1_000;
const DEADLINE_MS = 10_000;

export function createFacetNames(options: FacetNameOptions): ReadNames {
  const { search, limiter, newBudget, today, localRadiusKm } = options;
  let readings = 0;
  let endsAt = 0;
  let latest = Promise.resolve(0);
  const read = async (): Promise<number> => {
    const query = feedQuery({ feed: 'public-feed', pageSize: 1 }, { today: today(), localRadiusKm });
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const budget = newBudget();
    try {
      for (const facet of ['category', 'sub_category', 'city'] as const) {
        replaceNames(facet, await limiter.pass(() => search.facet(query, facet, signal, budget), signal));
        readings++;
      }
      return readings;
    } catch {
      // The next view after the deadline tries again.
      endsAt = performance.now() + DEADLINE_MS;
      return readings;
    } finally {
      budget.close();
    }
  };
  return () => {
    if (performance.now() >= endsAt) {
      endsAt = performance.now() + LIFETIME_MS;
      latest = read();
    }
    // Views do not wait for new names while they have earlier ones.
    return readings > 0 ? Promise.resolve(readings) : latest;
  };
}

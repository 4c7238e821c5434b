import { learnNames } from '@vitrine/web';
import type { RequestBudget } from '../../budget/request-budget.ts';
import { feedQuery } from '../../search/feed-query.ts';
import type { FeedSearch } from '../../search/feed-search.ts';
import type { SearchLimiter } from '../../search/search-limiter.ts';

export interface CategoryNameOptions {
  search: Pick<FeedSearch, 'facet'>;
  /** Admits the searches together with the pages of the feeds. */
  limiter: SearchLimiter;
  newBudget: () => RequestBudget;
  today: () => string;
  localRadiusKm: number;
}

/**
 * Reads the names of the categories for the first view, because the feeds contain only slugs. Views share
 * one reading, which never rejects.
 * @returns a number that grows with each reading. It is 0 before the first one.
 */
export type ReadCategoryNames = () => Promise<number>;

/** New categories are rare, and a view without their names is still readable. */
const LIFETIME_MS = 10 * 60 * 1_000;
const DEADLINE_MS = 10_000;

export function createCategoryNames(options: CategoryNameOptions): ReadCategoryNames {
  const { search, limiter, newBudget, today, localRadiusKm } = options;
  let readings = 0;
  let endsAt = 0;
  let latest = Promise.resolve(0);
  const read = async (): Promise<number> => {
    const query = feedQuery({ feed: 'public-feed', pageSize: 1 }, { today: today(), localRadiusKm });
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const budget = newBudget();
    try {
      for (const facet of ['category', 'sub_category'] as const)
        learnNames(facet, await limiter.pass(() => search.facet(query, facet, signal, budget), signal));
      return ++readings;
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
    return latest;
  };
}

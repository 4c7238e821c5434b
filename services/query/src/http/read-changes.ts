import type { RequestBudget } from '../budget/request-budget.ts';
import { Page } from '../cache/page.ts';
import type { PageCache, ServedPage } from '../cache/page-cache.ts';
import { EXPIRED, invalidParameters, Problem } from '../contract/problem.ts';
import { type ChangesCriteria, readChangesRequest } from '../request/changes-request.ts';
import { representChanges } from '../response/changes-response.ts';
import type { Encoder } from '../response/content-encoding.ts';
import type { ChangesSearch } from '../search/changes/changes-search.ts';
import type { SearchLimiter } from '../search/search-limiter.ts';
import type { ReadPage } from './read-feed.ts';

export interface ChangesReaderOptions {
  search: ChangesSearch;
  /** Admits pages. */
  limiter: SearchLimiter;
  cache: PageCache;
  /** Creates the budget for a page. */
  newBudget: () => RequestBudget;
  encoder: Encoder;
  license: string;
  /** Returns today's date as YYYY-MM-DD. */
  today: () => string;
}

/**
 * Reads one page of changes.
 * @param query the raw query, without the `?`
 * @param base absolute URL of the base path
 * @throws Problem (400 bad parameters, 410 expired change number), FeedUnavailable, Overloaded, Abandoned
 */
export type ReadChanges = (query: string, base: string, signal: AbortSignal) => Promise<ReadPage>;

/**
 * How long a page of changes counts as fresh in this service, in seconds. The time starts when the page's
 * view is opened.
 */
export const CHANGES_FRESH_SECONDS = 2;

/**
 * A full page after a change number stays valid, because an entry that changes later appears again on a later
 * page. A page that is not full soon has more entries. The page from the beginning belongs to no epoch. After
 * the changes are lost, a cached copy of it must not lead clients to the lost index's numbers.
 */
const FULL_PAGE = 'public, max-age=3600';
const LAST_PAGE = 'public, max-age=2';

export function createChangesReader({
  search,
  limiter,
  cache,
  newBudget,
  encoder,
  license,
  today,
}: ChangesReaderOptions): ReadChanges {
  const make = async (criteria: ChangesCriteria, base: string, signal: AbortSignal): Promise<Page> => {
    const budget = newBudget();
    try {
      const { after, limit } = criteria;
      // A slow refresh of the view takes no slot from other pages.
      const found = await search.page(after, limit, signal, budget, {}, (work) => limiter.pass(work, signal));
      if (found.kind === 'expired') throw startOver(base);
      const representation = representChanges(criteria, found.changes, { base, license });
      budget.serialized(representation.body.length);
      const cacheControl = found.isFull && after > 0 ? FULL_PAGE : LAST_PAGE;
      return new Page({ ...representation, cacheControl }, encoder, found.shownAt);
    } finally {
      budget.close();
    }
  };
  return async (query, base, signal) => {
    const criteria = readChangesRequest(query);
    if ('bad' in criteria) throw invalidParameters(criteria.bad);
    // The page contains absolute URLs, so pages for different hosts differ.
    const key = { criteria: JSON.stringify([criteria, base]), dateVariant: '' };
    const date = today();
    const served: ServedPage = await cache.read(key, (end) => make(criteria, base, end), signal);
    return { key, date, ...served };
  };
}

/** RFC 9110 §15.5.11. */
const startOver = (base: string): Problem =>
  new Problem('expired-change-number', EXPIRED, { headers: { Link: `<${base}/export>; rel="start"` } });

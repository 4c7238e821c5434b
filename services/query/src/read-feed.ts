import { dateVariant } from './date-variant.ts';
import { feedQuery } from './feed-query.ts';
import { type FeedCriteria, type FeedName, readAdType, readFeedRequest } from './feed-request.ts';
import { feedContent } from './feed-response.ts';
import type { FeedSearch } from './feed-search.ts';
import { Page } from './page.ts';
import type { PageCache, PageName, Served } from './page-cache.ts';
import { pageLinks } from './page-links.ts';
import { Problem } from './problem.ts';
import { represent } from './representation.ts';
import type { SearchLimiter } from './search-limiter.ts';

export interface FeedReaderOptions {
  search: FeedSearch;
  /** Admits pages. */
  limiter: SearchLimiter;
  cache: PageCache;
  /** Today's date, YYYY-MM-DD. */
  today: () => string;
  horizonDays: number;
  /** How far `localOnly` reaches. */
  localRadiusKm: number;
}

/** A page, with its name in the cache and the date (YYYY-MM-DD) on which its request started. */
export interface ReadPage extends Served {
  name: PageName;
  date: string;
}

/**
 * What a feed answers.
 * @param adType the path segment that narrows the feed, as it stands
 * @param query raw, without the `?`
 * @throws Problem (404 unknown ad type, 400 bad parameters), FeedUnavailable, Overloaded, Abandoned
 */
export type ReadFeed = (feed: FeedName, adType: string | undefined, query: string, signal: AbortSignal) => Promise<ReadPage>;

export function createFeedReader({ search, limiter, cache, today, horizonDays, localRadiusKm }: FeedReaderOptions): ReadFeed {
  const make = async (criteria: FeedCriteria, date: string, signal: AbortSignal): Promise<Page> => {
    const found = await limiter.pass(() => search.page(feedQuery(criteria, { today: date, localRadiusKm }), signal), signal);
    const content = feedContent(criteria, found, { today: date, horizonDays });
    return new Page(represent(content, new Date(), pageLinks(criteria, content.meta)));
  };
  return async (feed, segment, query, signal) => {
    const adType = segment === undefined ? undefined : readAdType(segment);
    if (segment !== undefined && adType === undefined) throw new Problem(404, 'The ad types are sale, rent (or rental) and service.');
    const criteria = readFeedRequest(feed, adType, query);
    if ('bad' in criteria) throw new Problem(400, 'The request has bad query parameters.', { errors: criteria.bad });
    const date = today();
    // Criteria have one form and one order of members, so equal meaning gives equal text.
    const name = { key: JSON.stringify(criteria), variant: dateVariant(criteria, date) };
    return { name, date, ...(await cache.read(name, (end) => make(criteria, date, end), signal)) };
  };
}

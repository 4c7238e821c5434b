import { feedQuery } from './feed-query.ts';
import { type FeedName, readAdType, readFeedRequest } from './feed-request.ts';
import { feedContent } from './feed-response.ts';
import type { FeedSearch } from './feed-search.ts';
import { pageLinks } from './page-links.ts';
import { Problem } from './problem.ts';
import { type Representation, represent } from './representation.ts';

export interface FeedReaderOptions {
  search: FeedSearch;
  /** Today's date, YYYY-MM-DD. */
  today: () => string;
  horizonDays: number;
  /** How far `localOnly` reaches. */
  localRadiusKm: number;
}

/**
 * What a feed answers.
 * @param adType the path segment that narrows the feed, as it stands
 * @param query raw, without the `?`
 * @throws Problem (404 unknown ad type, 400 bad parameters), FeedUnavailable
 */
export type ReadFeed = (feed: FeedName, adType: string | undefined, query: string, signal: AbortSignal) => Promise<Representation>;

export function createFeedReader({ search, today, horizonDays, localRadiusKm }: FeedReaderOptions): ReadFeed {
  return async (feed, segment, query, signal) => {
    const adType = segment === undefined ? undefined : readAdType(segment);
    if (segment !== undefined && adType === undefined) throw new Problem(404, 'The ad types are sale, rent (or rental) and service.');
    const criteria = readFeedRequest(feed, adType, query);
    if ('bad' in criteria) throw new Problem(400, 'The request has bad query parameters.', { errors: criteria.bad });
    const date = today();
    const found = await search.page(feedQuery(criteria, { today: date, localRadiusKm }), signal);
    const content = feedContent(criteria, found, { today: date, horizonDays });
    return represent(content, new Date(), pageLinks(criteria, content.meta));
  };
}

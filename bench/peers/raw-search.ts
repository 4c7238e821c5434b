import type { estypes } from '@elastic/elasticsearch';
import { itemsAlias } from '@vitrine/feed-index';
import { type FeedCriteria, feedQuery } from '@vitrine/query';
import { TODAY } from '../dataset.ts';
import { type HttpRequest, post } from '../http-connection.ts';

/** The default of `index.max_result_window`. */
const RESULT_WINDOW = 10_000;

/** One search with its exact total for these criteria, built by the query service's own function. */
export const searchOf = (criteria: FeedCriteria): estypes.SearchRequest =>
  feedQuery(criteria, { today: TODAY, localRadiusKm: 50 }).request;

/** The same search, with only the served members of the documents. */
export const leanSearchOf = (criteria: FeedCriteria): estypes.SearchRequest => ({
  ...searchOf(criteria),
  _source: criteria.feed === 'ai-feed' ? ['feed_item', 'calendar'] : ['feed_item'],
});

/** Elasticsearch rejects pages beyond its result window. */
export function isWithinWindow({ from = 0, size = 0 }: estypes.SearchRequest): boolean {
  return from + size <= RESULT_WINDOW;
}

/** The search as a request to Elasticsearch. */
export const rawSearch = (prefix: string, search: estypes.SearchRequest): HttpRequest =>
  post(`/${itemsAlias(prefix)}/_search`, search);

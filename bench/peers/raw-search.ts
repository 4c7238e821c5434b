import type { estypes } from '@elastic/elasticsearch';
import { itemsAlias } from '@vitrine/feed-index';
import type { FeedCriteria } from '@vitrine/query';
import { feedQuery } from '@vitrine/query';
import { post } from '../connection.ts';
import { TODAY } from '../market.ts';

/** How deep `from` reaches in an index with Elasticsearch's defaults. */
const RESULT_WINDOW = 10_000;

/** The search that the service makes of these criteria. */
export const searchOf = (criteria: FeedCriteria): estypes.SearchRequest => feedQuery(criteria, { today: TODAY, localRadiusKm: 50 }).request;

/** The same, asking for nothing of the documents but what is served. */
export const leanSearchOf = (criteria: FeedCriteria): estypes.SearchRequest => ({
  ...searchOf(criteria),
  _source: criteria.feed === 'ai-feed' ? ['feed_item', 'calendar'] : ['feed_item'],
});

/** Whether Elasticsearch would answer that: it refuses pages behind its result window. */
export function isWithinWindow({ from = 0, size = 0 }: estypes.SearchRequest): boolean {
  return from + size <= RESULT_WINDOW;
}

/** A search as a request to Elasticsearch itself. */
export const rawSearch = (prefix: string, search: estypes.SearchRequest): Buffer => post(`/${itemsAlias(prefix)}/_search`, search);

import type { estypes } from '@elastic/elasticsearch';
import { itemsAlias } from '@vitrine/feed-index';
import { feedQuery } from '../../services/query/src/feed-query.ts';
import type { FeedCriteria } from '../../services/query/src/feed-request.ts';
import { post } from '../connection.ts';
import { TODAY } from '../market.ts';

/** How deep `from` reaches in an index with Elasticsearch's defaults. */
const RESULT_WINDOW = 10_000;

/** The search that the service makes of these criteria. */
export const searchOf = (criteria: FeedCriteria): estypes.SearchRequest => feedQuery(criteria, { today: TODAY, localRadiusKm: 50 }).request;

/** The request to Elasticsearch itself with that body; undefined where it would be refused. */
export function rawSearch(prefix: string, criteria: FeedCriteria): Buffer | undefined {
  const request = searchOf(criteria);
  if ((request.from ?? 0) + (request.size ?? 0) > RESULT_WINDOW) return undefined;
  return post(`/${itemsAlias(prefix)}/_search`, request);
}

import type { FeedName } from '../contract/operations.ts';
import type { FilterCriteria } from '../filters/index.ts';
import type { SortPosition } from './sort-position.ts';

/**
 * The meaning of a request in normalized form, which is equal for every spelling of the same request. The
 * table of filters (`filters/index.ts`) defines the other members.
 */
export interface FeedCriteria extends FilterCriteria {
  feed: FeedName;
  /** Absent in a cursor crawl. */
  page?: number;
  /** The position after which a cursor page begins. Absent at the start of a crawl. */
  after?: SortPosition;
  pageSize: number;
}

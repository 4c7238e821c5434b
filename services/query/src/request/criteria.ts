import type { AdType, FeedName } from '../contract/operations.ts';
import type { Point, SortPosition } from './sort-position.ts';

/**
 * The meaning of a request in normalized form: equal for every spelling of the same request.
 * A new filter is a member here. CONTRIBUTING.md, "Common changes", lists the other places.
 */
export interface FeedCriteria {
  feed: FeedName;
  adType?: AdType;
  /** Absent on a crawl by cursor. */
  page?: number;
  /** The position after which the page of a cursor begins; absent at the start of a crawl. */
  after?: SortPosition;
  pageSize: number;
  /** Slugs that items must have. A value without a letter or digit gives an empty slug, which no item has. */
  city?: string;
  category?: string;
  sub_category?: string;
  /** YYYY-MM-DD, a real date. */
  date?: string;
  /** The last date of a range that begins at `date`; absent if it equals `date`. */
  dateTo?: string;
  /** The point for nearest-first order. */
  point?: Point;
  /** Only items near `point`. */
  localOnly?: true;
}

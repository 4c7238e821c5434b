import type { AdType } from '@vitrine/feed-index/ad-types';
import type { FeedName } from '../contract/operations.ts';
import type { Point, SortPosition } from './sort-position.ts';

/**
 * The meaning of a request in normalized form, which is equal for every spelling of the same request. A new
 * filter becomes a new member of this type. CONTRIBUTING.md, "Common changes", lists the other places to
 * change.
 */
export interface FeedCriteria {
  feed: FeedName;
  adType?: AdType;
  /** Absent in a cursor crawl. */
  page?: number;
  /** The position after which a cursor page begins. Absent at the start of a crawl. */
  after?: SortPosition;
  pageSize: number;
  /**
   * Slugs that the items must have. A value without letters and digits has an empty slug, which matches no
   * item.
   */
  city?: string;
  category?: string;
  sub_category?: string;
  /**
   * Slugs. The items must have one of them as category or sub-category. Only the UCP catalog sets this filter.
   */
  categories?: readonly string[];
  /** Limits of an item's `price` in BRL, both included. Only the agents' endpoints set these filters. */
  minPrice?: number;
  maxPrice?: number;
  /** Words that the title must contain, as `wordsOf` returns them. Only the UCP catalog sets this filter. */
  words?: readonly string[];
  /** A valid date as YYYY-MM-DD. */
  date?: string;
  /** The last date of a range that begins at `date`. Absent if the range contains only `date`. */
  dateTo?: string;
  /** The point by which the items are sorted, nearest first. */
  point?: Point;
  /** If present, the page contains only items near `point`. */
  localOnly?: true;
}

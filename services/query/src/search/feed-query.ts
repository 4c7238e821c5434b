import type { estypes } from '@elastic/elasticsearch';
import type { Item } from '@vitrine/feed-index';
import type { ClauseSettings } from '../filters/filter.ts';
import { FILTERS } from '../filters/index.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { neighboringDates } from '../request/criteria.ts';
import { offersByDate } from './date-offers.ts';
import { type NeededMapping, neededMapping } from './live/live-fields.ts';
import {
  ANY_ITEM,
  allOf,
  type Clause,
  type FeedOrder,
  isByTotal,
  orderOf,
  searchAfter,
  sortOf,
} from './order/feed-order.ts';

const FEED_ITEM: keyof Item = 'feed_item';

/** The search for a feed request, and the order of its hits. */
export interface FeedQuery {
  order: FeedOrder;
  /** Returns the page, its total and its counts by date in one search. */
  request: estypes.SearchRequest;
  /** The dates whose offers the page needs. */
  dates?: readonly string[];
  /** Absent if every items mapping suffices. */
  needs?: NeededMapping;
}

/** Translates a feed request into an Elasticsearch search. Rule: docs/reference/rules.md#query-parameters */
export function feedQuery(criteria: FeedCriteria, settings: ClauseSettings): FeedQuery {
  const order = orderOf(criteria, settings.today);
  const clauses = (narrowsOnlyItems: boolean) =>
    FILTERS.filter((filter) => (filter.narrowsOnlyItems ?? false) === narrowsOnlyItems).flatMap((filter) =>
      filter.clauses(criteria, settings),
    );
  const [filters, itemFilters] = [clauses(false), clauses(true)];
  const window = neighboringDates(criteria, settings.today);
  const needs = neededMapping(criteria);
  return {
    order,
    ...(needs && { needs }),
    dates: window,
    request: {
      track_total_hits: true,
      ...served(criteria),
      ...position(criteria, order),
      // Pages by total price do not exist yet.
      sort: sortOf(isByTotal(order) ? 'price' : order),
      ...(window.length === 0
        ? { query: matchesAll([...filters, ...itemFilters]) }
        : // The counts of the neighboring dates include items that are not available on the requested dates.
          // So the date filters apply to the hits only.
          { query: matchesAll(filters), post_filter: matchesAll(itemFilters), aggs: offersByDate(window) }),
    },
  };
}

/**
 * Selects the parts of a document that the feed serves. The agent feed, which serves most of a document,
 * reads whole documents, because Elasticsearch copies a document faster than it extracts parts.
 */
const served = ({ feed }: FeedCriteria): Pick<estypes.SearchRequest, '_source'> =>
  feed === 'public-feed' ? { _source: [FEED_ITEM] } : {};

/**
 * Returns the position of the page. For a cursor, the search requests one extra hit, which shows whether
 * there is a next page.
 */
function position(
  { page, pageSize, after }: FeedCriteria,
  order: FeedOrder,
): Pick<estypes.SearchRequest, 'from' | 'size' | 'search_after'> {
  if (page !== undefined) return { from: (page - 1) * pageSize, size: pageSize };
  return { size: pageSize + 1, ...(after && { search_after: searchAfter(after, order) }) };
}

const matchesAll = (clauses: Clause[]): Clause => allOf(clauses.length > 0 ? clauses : [ANY_ITEM]);

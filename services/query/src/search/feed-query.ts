import type { estypes } from '@elastic/elasticsearch';
import type { Item } from '@vitrine/feed-index';
import type { Facet } from '@vitrine/feed-index/filters';
import type { RequestBudget } from '../budget/request-budget.ts';
import type { ClauseSettings } from '../filters/filter.ts';
import { FILTERS } from '../filters/index.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { neighboringDates } from '../request/criteria.ts';
import type { StayWindow } from '../request/stay-window.ts';
import type { FoundPage } from '../stored/found-page.ts';
import type { StoredItem } from '../stored/stored-item.ts';
import { offersByDate } from './date-offers.ts';
import type { FacetValue } from './facets/facet-values.ts';
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
import { type StayQuery, type Summaries, stayQuery } from './stays/stay-query.ts';

const FEED_ITEM: keyof Item = 'feed_item';

/** The search for a feed request, and the order of its hits. */
export interface FeedQuery {
  order: FeedOrder;
  /** The request that returns the page, its total and its counts by date in one search. */
  request: estypes.SearchRequest;
  /** The dates whose offers the page needs. */
  dates?: readonly string[];
  /** The mapping that the query needs. It is absent if every items mapping suffices. */
  needs?: NeededMapping;
  /** The part of the feed request that concerns stays. `request` does not contain the limits on totals. */
  stays?: StayQuery;
}

/** Reads the items. */
export interface FeedSearch {
  /**
   * Searches one page at any depth. The promise settles only after Elasticsearch has stopped working on the
   * page, which can be some time after `signal` aborts.
   * @param budget the request's budget. It limits the size of the found items. The caller counts this size.
   *   The work on calendars counts toward the request that starts it.
   * @throws FeedUnavailable if no complete result arrives in time; Overloaded if a limiter refuses the page;
   *   PageTooLarge
   */
  page(query: FeedQuery, signal: AbortSignal, budget: RequestBudget): Promise<FoundPage>;
  /** Counts all matching items, without the page. @throws FeedUnavailable, Overloaded */
  total(query: FeedQuery, signal: AbortSignal, budget: RequestBudget): Promise<number>;
  /**
   * Counts the items that match all filters but the dates, and whose calendars lack a date from `first` to
   * `last`.
   * @param query without dates
   * @returns undefined if the index cannot tell. @throws as `total`
   */
  calendarUnknown(
    query: FeedQuery,
    first: string,
    last: string,
    signal: AbortSignal,
  ): Promise<number | undefined>;
  /** Counts the values of a facet among all matching items, most frequent first. @throws as `total` */
  facet(query: FeedQuery, facet: Facet, signal: AbortSignal, budget: RequestBudget): Promise<FacetValue[]>;
  /**
   * Finds the lowest stay total for each of these values of a facet among all matching items. Returns no
   * totals if the live index has no packed calendars. @throws as `total`
   */
  facetTotals(
    query: FeedQuery,
    facet: Facet,
    values: readonly string[],
    stay: StayWindow,
    signal: AbortSignal,
    budget: RequestBudget,
  ): Promise<ReadonlyMap<string, number>>;
  /** Returns the existing items among `ids`, in any order. @param budget as for `page` @throws as `page` */
  items(ids: readonly string[], signal: AbortSignal, budget: RequestBudget): Promise<StoredItem[]>;
  /** Resolves when a search succeeds. @throws FeedUnavailable */
  probe(signal: AbortSignal): Promise<void>;
  /** Closes the open point in time. The caller must wait for all pages first. */
  close(): Promise<void>;
}

export interface QuerySettings extends ClauseSettings {
  /** By default, the page has the offers that the feed serves. */
  summaries?: Summaries;
}

const ITEM_FILTERS = FILTERS.filter(({ narrowsOnlyItems }) => narrowsOnlyItems);
const ORDINARY_FILTERS = FILTERS.filter(({ narrowsOnlyItems }) => !narrowsOnlyItems);

/** Translates a feed request into an Elasticsearch search. Rule: docs/reference/rules.md#query-parameters */
export function feedQuery(criteria: FeedCriteria, settings: QuerySettings): FeedQuery {
  const { today, summaries } = settings;
  const order = orderOf(criteria, today);
  const [filters, itemFilters] = [ORDINARY_FILTERS, ITEM_FILTERS].map((group) =>
    group.flatMap((filter) => filter.clauses(criteria, settings)),
  ) as [Clause[], Clause[]];
  const needs = neededMapping(criteria);
  const stays = stayQuery(criteria, today, summaries);
  const hasNoDates = summaries === 'none' || (stays && summaries === 'every range');
  const window = hasNoDates ? [] : neighboringDates(criteria, today);
  const countsBeside = window.length > 0 || (stays && stays.starts.length > 0);
  return {
    order,
    ...(needs && { needs }),
    dates: window,
    ...(stays && { stays }),
    request: {
      track_total_hits: true,
      ...served(criteria, stays),
      ...position(criteria, order),
      // For a page by total, the search itself determines the order.
      ...(!isByTotal(order) && { sort: sortOf(order) }),
      ...(countsBeside
        ? // The counts for the neighboring dates and stays include items that are not available on the
          // requested dates. So the date filters apply to the hits only.
          { query: matchesAll(filters), post_filter: matchesAll(itemFilters) }
        : { query: matchesAll([...filters, ...itemFilters]) }),
      ...(window.length > 0 && { aggs: offersByDate(window) }),
    },
  };
}

/**
 * Selects the parts of a document that the feed serves. The agent feed, which serves most of a document,
 * reads whole documents, because Elasticsearch copies a document faster than it extracts parts. A
 * request for stays also reads whole documents, because it needs the calendars.
 */
const served = ({ feed }: FeedCriteria, stays?: StayQuery): Pick<estypes.SearchRequest, '_source'> =>
  feed === 'public-feed' && !stays ? { _source: [FEED_ITEM] } : {};

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

import type { estypes } from '@elastic/elasticsearch';
import type { Item } from '@vitrine/feed-index';
import { datesFrom } from '../request/calendar-dates.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { neighboringDates } from '../request/neighboring-dates.ts';
import { offersByDate } from './date-offers.ts';
import {
  ANY_ITEM,
  allOf,
  type Clause,
  type FeedOrder,
  field,
  searchAfter,
  sortOf,
  within,
} from './order/feed-order.ts';

const METERS_PER_KM = 1_000;
const FEED_ITEM: keyof Item = 'feed_item';

/** The inputs of the translation in addition to the request. */
export interface FeedQuerySettings {
  /** YYYY-MM-DD. */
  today: string;
  /** Radius of `localOnly`, in kilometers. */
  localRadiusKm: number;
}

/** The search for a feed request, and the order of its hits. */
export interface FeedQuery {
  order: FeedOrder;
  /** Returns the page, its total and its counts by date in one search. */
  request: estypes.SearchRequest;
  /** The dates whose offers the page needs. */
  dates?: readonly string[];
}

/** Translates a feed request into an Elasticsearch search. Rule: docs/reference/rules.md#query-parameters */
export function feedQuery(criteria: FeedCriteria, { today, localRadiusKm }: FeedQuerySettings): FeedQuery {
  const order = criteria.point ?? 'newest';
  const filters = [
    ...equalTo(criteria),
    ...priced(criteria),
    ...titled(criteria),
    ...nearby(criteria, localRadiusKm),
  ];
  const window = neighboringDates(criteria, today);
  const dateFilters = takeableOn(criteria, today);
  return {
    order,
    dates: window,
    request: {
      track_total_hits: true,
      ...served(criteria),
      ...position(criteria),
      sort: sortOf(order),
      ...(window.length === 0
        ? { query: matchesAll([...filters, ...dateFilters]) }
        : // The counts of the neighboring dates include items that are not available on the requested dates.
          // So the date filters apply to the hits only.
          { query: matchesAll(filters), post_filter: matchesAll(dateFilters), aggs: offersByDate(window) }),
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
function position({
  page,
  pageSize,
  after,
}: FeedCriteria): Pick<estypes.SearchRequest, 'from' | 'size' | 'search_after'> {
  if (page !== undefined) return { from: (page - 1) * pageSize, size: pageSize };
  return { size: pageSize + 1, ...(after && { search_after: searchAfter(after) }) };
}

function equalTo({ adType, city, category, categories, sub_category }: FeedCriteria): Clause[] {
  const wanted = {
    [field('ad_type')]: adType,
    [field('city')]: city,
    [field('category')]: category,
    [field('sub_category')]: sub_category,
  };
  const one = Object.entries(wanted).flatMap(([name, value]) =>
    value === undefined ? [] : [{ term: { [name]: value } }],
  );
  if (!categories) return one;
  const should = [field('category'), field('sub_category')].map((name) => ({
    terms: { [name]: [...categories] },
  }));
  return [...one, { bool: { should } }];
}

function priced({ minPrice, maxPrice }: FeedCriteria): Clause[] {
  if (minPrice === undefined && maxPrice === undefined) return [];
  const limits = {
    ...(minPrice !== undefined && { gte: minPrice }),
    ...(maxPrice !== undefined && { lte: maxPrice }),
  };
  return [{ range: { [field('price')]: limits } }];
}

const titled = ({ words = [] }: FeedCriteria): Clause[] =>
  words.map((word) => ({ term: { [field('title_words')]: word } }));

const nearby = ({ point, localOnly }: FeedCriteria, radiusKm: number): Clause[] =>
  point && localOnly ? [within(radiusKm * METERS_PER_KM, point)] : [];

/** Matches items that are available on every date of the range. A past date matches no items. */
function takeableOn({ date, dateTo = date }: FeedCriteria, today: string): Clause[] {
  if (date === undefined || dateTo === undefined) return [];
  if (date < today) return [{ match_none: {} }];
  return datesFrom(date, dateTo).map((day) => ({ term: { [field('open_dates')]: day } }));
}

const matchesAll = (clauses: Clause[]): Clause => allOf(clauses.length > 0 ? clauses : [ANY_ITEM]);

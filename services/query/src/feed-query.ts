import type { estypes } from '@elastic/elasticsearch';
import type { ItemDocument } from '@vitrine/feed-index';
import { addDays, datesFrom } from './calendar-dates.ts';
import { ANY_ITEM, allOf, type Clause, type FeedOrder, field, searchAfter, sortOf, within } from './feed-order.ts';
import type { FeedCriteria } from './feed-request.ts';

/** How far around the asked dates `meta.availability` looks (decisions §3). */
const NEIGHBOURING_DAYS = 3;
const METRES_PER_KM = 1_000;
const FEED_ITEM: keyof ItemDocument = 'feed_item';

/** What the translation of a request depends on beside the request. */
export interface FeedQuerySettings {
  /** YYYY-MM-DD. */
  today: string;
  /** How far `localOnly` reaches. */
  localRadiusKm: number;
}

/** A feed request as one search; `order` says how its hits are sorted. */
export interface FeedQuery {
  order: FeedOrder;
  request: estypes.SearchRequest;
}

/** The Elasticsearch search of a feed request (decisions §3). */
export function feedQuery(criteria: FeedCriteria, { today, localRadiusKm }: FeedQuerySettings): FeedQuery {
  const order = criteria.point ?? 'newest';
  const filters = [...equalTo(criteria), ...nearby(criteria, localRadiusKm)];
  const window = neighbouringDates(criteria, today);
  const dateFilters = takeableOn(criteria, today);
  return {
    order,
    request: {
      track_total_hits: true,
      ...served(criteria),
      ...position(criteria),
      sort: sortOf(order),
      ...(window.length === 0
        ? { query: matchesAll([...filters, ...dateFilters]) }
        : // The neighbouring dates count items that miss the dates too, so here these filter the hits alone.
          { query: matchesAll(filters), post_filter: matchesAll(dateFilters), aggs: offersByDate(window) }),
    },
  };
}

/**
 * The dates of `meta.availability`, ascending: around the asked dates, never before `today`; none
 * on the public feed and without a date.
 */
export function neighbouringDates({ feed, date, dateTo = date }: FeedCriteria, today: string): string[] {
  if (feed !== 'ai-feed' || date === undefined || dateTo === undefined) return [];
  const first = addDays(date, -NEIGHBOURING_DAYS);
  return datesFrom(first < today ? today : first, addDays(dateTo, NEIGHBOURING_DAYS));
}

/**
 * What the feed serves of a document. Elasticsearch hands whole documents on as they are, and takes longer
 * to pick their parts than the agent feed's, which are most of them, are worth.
 */
const served = ({ feed }: FeedCriteria): Pick<estypes.SearchRequest, '_source'> => (feed === 'public-feed' ? { _source: [FEED_ITEM] } : {});

/** By page number, or behind a cursor: then one hit more tells whether there is a next page. */
function position({ page, pageSize, after }: FeedCriteria): Pick<estypes.SearchRequest, 'from' | 'size' | 'search_after'> {
  if (page !== undefined) return { from: (page - 1) * pageSize, size: pageSize };
  return { size: pageSize + 1, ...(after && { search_after: searchAfter(after) }) };
}

function equalTo({ adType, city, category, sub_category }: FeedCriteria): Clause[] {
  const wanted = { [field('ad_type')]: adType, [field('city')]: city, [field('category')]: category, [field('sub_category')]: sub_category };
  return Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [] : [{ term: { [name]: value } }]));
}

const nearby = ({ point, localOnly }: FeedCriteria, radiusKm: number): Clause[] =>
  point && localOnly ? [within(radiusKm * METRES_PER_KM, point)] : [];

/** On every date of the range; nothing can be taken in the past. */
function takeableOn({ date, dateTo = date }: FeedCriteria, today: string): Clause[] {
  if (date === undefined || dateTo === undefined) return [];
  if (date < today) return [{ match_none: {} }];
  return datesFrom(date, dateTo).map((day) => ({ term: { [field('open_dates')]: day } }));
}

const matchesAll = (clauses: Clause[]): Clause => allOf(clauses.length > 0 ? clauses : [ANY_ITEM]);

/** Per date: the number of items that can be taken, and their lowest and highest price. */
function offersByDate(dates: string[]): Record<string, estypes.AggregationsAggregationContainer> {
  const date = `${field('offers')}.date`;
  const price = `${field('offers')}.price`;
  return {
    offers: {
      nested: { path: field('offers') },
      aggs: {
        window: {
          filter: { terms: { [date]: dates } },
          aggs: {
            dates: {
              terms: { field: date, size: dates.length },
              aggs: { min_price: { min: { field: price } }, max_price: { max: { field: price } } },
            },
          },
        },
      },
    },
  };
}

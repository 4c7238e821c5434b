import type { estypes } from '@elastic/elasticsearch';
import type { ItemDocument } from '@vitrine/feed-index';
import { addDays, datesFrom } from './calendar-dates.ts';
import type { FeedCriteria } from './feed-request.ts';

/** How far around the asked date `meta.availability` looks (decisions §3). */
const NEIGHBOURING_DAYS = 3;

type Clause = NonNullable<estypes.QueryDslQueryContainer>;
const field = <Name extends keyof ItemDocument>(name: Name): Name => name;

/** Newest first, then by id (decisions §2, "Order"); the index is sorted the same way. */
const FEED_ORDER: estypes.Sort = [{ [field('published_at')]: 'desc' }, { [field('id')]: 'asc' }];

/**
 * Every item, but not the nested documents beside them: without a clause that only items match,
 * Elasticsearch looks at each nested document too.
 */
const ANY_ITEM: Clause = { exists: { field: field('published_at') } };

/**
 * The Elasticsearch search of a feed request (decisions §3).
 * @param today YYYY-MM-DD
 */
export function feedQuery(criteria: FeedCriteria, today: string): estypes.SearchRequest {
  const { feed, page, pageSize, date } = criteria;
  const filters = equalTo(criteria);
  const window = neighbouringDates(criteria, today);
  const dateFilter = date === undefined ? [] : [takeableOn(date, today)];
  return {
    track_total_hits: true,
    from: (page - 1) * pageSize,
    size: pageSize,
    sort: FEED_ORDER,
    _source: feed === 'ai-feed' ? [field('feed_item'), field('calendar')] : [field('feed_item')],
    ...(window.length === 0
      ? { query: allOf([...filters, ...dateFilter]) }
      : // The neighbouring dates count items that miss the date too, so here it filters the hits alone.
        { query: allOf(filters), post_filter: allOf(dateFilter), aggs: offersByDate(window) }),
  };
}

/**
 * The dates of `meta.availability`, ascending: around the asked date, never before `today`; none
 * on the public feed and without a date.
 */
export function neighbouringDates({ feed, date }: FeedCriteria, today: string): string[] {
  if (feed !== 'ai-feed' || date === undefined) return [];
  const first = addDays(date, -NEIGHBOURING_DAYS);
  return datesFrom(first < today ? today : first, addDays(date, NEIGHBOURING_DAYS));
}

function equalTo({ adType, city, category, sub_category }: FeedCriteria): Clause[] {
  const wanted = { [field('ad_type')]: adType, [field('city')]: city, [field('category')]: category, [field('sub_category')]: sub_category };
  return Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [] : [{ term: { [name]: value } }]));
}

const takeableOn = (date: string, today: string): Clause => (date < today ? { match_none: {} } : { term: { [field('open_dates')]: date } });

const allOf = (clauses: Clause[]): Clause => ({ bool: { filter: clauses.length > 0 ? clauses : [ANY_ITEM] } });

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

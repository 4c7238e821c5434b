import { type FeedCriteria, readFeedRequest } from '@vitrine/query';
import { CITIES, cityCorner, dayAfterToday } from './dataset.ts';

export interface QueryKind {
  name: string;
  feed: 'public-feed' | 'ai-feed';
  /** The query of the request with this number. Requests differ, so that no side can respond from a cache. */
  query: (number: number, total: number) => Record<string, string | number>;
  /**
   * The reason why the cost of this kind grows with the number of items, even with an index. Such a kind has
   * no target.
   */
  linear?: string;
  /** Whether this kind is too slow for the warm-up. */
  slow?: true;
}

export const PAGE_SIZE = 20;
/** The number of large cities. In a small dataset, a smaller city would have no second page. */
const BUSY_CITIES = 12;
const FIRST_PAGES = 5;
const LAST_PAGES = 40;

const page = (number: number) => 1 + (number % FIRST_PAGES);
const city = (number: number) => `city-${(number * 5) % BUSY_CITIES}`;
const date = (number: number) => dayAfterToday(4 + (number % 25));
const dateTo = (number: number) => dayAfterToday(6 + (number % 25));
const category = (number: number) => (number % 2 === 0 ? 'entire-home-apt' : 'private-room');
const lastPage = (total: number) => Math.ceil(total / PAGE_SIZE);

/** A point in a city. Each number has a different point. */
function point(number: number): { lat: string; lng: string } {
  const { lat, lon } = cityCorner(number % CITIES);
  return {
    lat: (lat + 0.25 + (number % 97) / 1_000).toFixed(4),
    lng: (lon + 0.25 + (number % 89) / 1_000).toFixed(4),
  };
}

export const QUERY_KINDS: readonly QueryKind[] = [
  { name: 'no filter', feed: 'public-feed', query: (n) => ({ page: 1 + (n % LAST_PAGES) }) },
  { name: 'city', feed: 'public-feed', query: (n) => ({ city: city(n), page: page(n) }) },
  {
    name: 'category and city',
    feed: 'public-feed',
    query: (n) => ({ category: category(n), city: city(n), page: page(n) }),
  },
  { name: 'date', feed: 'public-feed', query: (n) => ({ date: date(n), page: page(n) }) },
  {
    name: 'date and city',
    feed: 'public-feed',
    query: (n) => ({ date: date(n), city: city(n), page: page(n) }),
  },
  {
    name: 'date range',
    feed: 'public-feed',
    query: (n) => ({ date: date(n), date_to: dateTo(n), page: page(n) }),
  },
  { name: 'nearest', feed: 'public-feed', query: (n) => ({ ...point(n), page: page(n) }) },
  {
    name: 'localOnly',
    feed: 'public-feed',
    query: (n) => ({ ...point(n), localOnly: 'true', page: page(n) }),
  },
  {
    name: 'middle page',
    feed: 'public-feed',
    query: (n, total) => ({ page: Math.ceil(lastPage(total) / 2) - (n % LAST_PAGES) }),
  },
  {
    name: 'last page',
    feed: 'public-feed',
    query: (n, total) => ({ page: lastPage(total) - 1 - (n % LAST_PAGES) }),
  },
  {
    name: 'agent, date and city',
    feed: 'ai-feed',
    query: (n) => ({ date: date(n), city: city(n), page: page(n) }),
    linear: 'meta.availability reads every offer of seven dates in that city',
  },
  {
    name: 'agent, date',
    feed: 'ai-feed',
    query: (n) => ({ date: date(n), page: page(n) }),
    linear: 'meta.availability reads every offer of seven dates',
    slow: true,
  },
];

/** The path and query of the kind's request with this number. */
export const targetOf = ({ feed, query }: QueryKind, number: number, total: number): string =>
  `/api/${feed}?${queryString(query(number, total))}&pageSize=${PAGE_SIZE}`;

/**
 * The criteria of the kind's request with this number, for the peers. The service's own function parses them.
 */
export function criteriaOf({ feed, query }: QueryKind, number: number, total: number): FeedCriteria {
  const criteria = readFeedRequest(
    feed,
    undefined,
    `${queryString(query(number, total))}&pageSize=${PAGE_SIZE}`,
  );
  if ('bad' in criteria) throw new Error(JSON.stringify(criteria.bad));
  return criteria;
}

const queryString = (query: Record<string, string | number>): string =>
  new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

export function queryKind(name: string): QueryKind {
  const kind = QUERY_KINDS.find((each) => each.name === name);
  if (!kind) throw new Error(`unknown query type: ${name}`);
  return kind;
}

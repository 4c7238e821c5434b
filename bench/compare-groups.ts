import { NOTHING_SHARED, UNCACHED } from './bench-context.ts';
import { CALENDAR_DAYS, CITIES, dayAfterToday } from './dataset.ts';
import { get, type HttpConnection, type HttpRequest } from './http-connection.ts';
import { bodyOf } from './measure.ts';
import { PAGE_SIZE, QUERY_KINDS, queryKind, targetOf } from './query-kinds.ts';

/** Requests of one kind that the `compare` part sends to each checkout. */
export interface Comparison {
  name: string;
  request: (number: number) => HttpRequest;
  /** The expected status: 200 by default. */
  status?: number;
  /** Maximum number of consecutive requests per connection. */
  perConnection?: number;
}

/** Comparisons that share a dataset and the settings of the services. */
export interface CompareGroup {
  name: string;
  items: number;
  days: number;
  env: Readonly<Record<string, string>>;
  connections: number;
  /**
   * @param total number of items in the feed
   * @param connection to a service, for requests that depend on a response
   */
  comparisons: (total: number, connection: HttpConnection) => Promise<Comparison[]>;
}

const LARGE_PAGES = { items: 4_000, days: 90, pageSize: 100 };
/** Each of the smallest cities has a hundredth of the items. Of these, 28 % match a date and a category. */
const FEW = { items: 100_000, cities: 4 };
const CROWD = 16;
const CACHED_CONNECTIONS = 64;
const CURSOR_PAGES = 40;
const CITY = '/api/public-feed?city=city-3';
const POINT = 'lat=-13.8&lng=-38.8';

const ofKind = (name: string, total: number, label = name): Comparison => ({
  name: label,
  request: (number) => get(targetOf(queryKind(name), number, total)),
});

/** @param items number of items in the run's dataset */
export const compareGroups = (items: number): CompareGroup[] => [
  {
    name: 'uncached',
    items,
    days: CALENDAR_DAYS,
    env: UNCACHED,
    connections: 1,
    comparisons: async (total, connection) => [
      ...QUERY_KINDS.map(({ name }) => ofKind(name, total)),
      deepNearest(total),
      await nextPages(connection),
    ],
  },
  {
    name: 'few matches',
    items: FEW.items,
    days: CALENDAR_DAYS,
    env: UNCACHED,
    connections: 1,
    comparisons: async () => [
      {
        name: 'few matches: date, category and city',
        request: (number) => {
          const city = CITIES - 1 - (number % FEW.cities);
          const date = dayAfterToday(number % CALENDAR_DAYS);
          return get(`/api/public-feed?date=${date}&category=private-room&city=city-${city}`);
        },
      },
      {
        name: 'nearest, from a point far from every city',
        request: (number) =>
          get(`/api/public-feed?lat=-45.${100 + (number % 800)}&lng=-70&pageSize=${PAGE_SIZE}`),
      },
    ],
  },
  {
    name: 'crowd',
    items,
    days: CALENDAR_DAYS,
    env: UNCACHED,
    connections: CROWD,
    comparisons: async (total) => [
      ofKind('city', total, `city, ${CROWD} connections`),
      ofKind('agent, date and city', total, `agent, date and city, ${CROWD} connections`),
    ],
  },
  {
    name: 'nothing counted before',
    items,
    days: CALENDAR_DAYS,
    env: NOTHING_SHARED,
    connections: 1,
    comparisons: async (total) =>
      ['no filter', 'city', 'nearest', 'last page', 'agent, date and city'].map((name) =>
        ofKind(name, total, `${name}, nothing counted before`),
      ),
  },
  {
    name: 'cached',
    items,
    days: CALENDAR_DAYS,
    env: {},
    connections: CACHED_CONNECTIONS,
    comparisons: async (_total, connection) => {
      const { headers } = await connection.send(get(CITY));
      const conditional = get(CITY, { 'if-none-match': String(headers.etag) });
      return [
        { name: 'cached page', request: () => get(CITY), perConnection: 100 },
        { name: '304', request: () => conditional, status: 304, perConnection: 100 },
      ];
    },
  },
  {
    name: 'large pages',
    items: LARGE_PAGES.items,
    days: LARGE_PAGES.days,
    env: UNCACHED,
    connections: 2,
    comparisons: async () => [
      {
        name: 'page of 100 with 90 dates each',
        request: (number) => get(`/api/ai-feed?page=${1 + (number % 10)}&pageSize=${LARGE_PAGES.pageSize}`),
      },
    ],
  },
];

const deepNearest = (total: number): Comparison => ({
  name: 'nearest, last page',
  request: (number) =>
    get(
      `/api/public-feed?${POINT}&page=${Math.ceil(total / PAGE_SIZE) - (number % 20)}&pageSize=${PAGE_SIZE}`,
    ),
});

/** Reads the cursors of consecutive pages. Every checkout accepts the same cursors. */
async function nextPages(connection: HttpConnection): Promise<Comparison> {
  const cursors: string[] = [];
  for (let cursor = '*'; cursors.length < CURSOR_PAGES; cursors.push(cursor)) {
    const body = await bodyOf(connection, get(cursorPage(cursor)));
    const { meta } = JSON.parse(body.toString()) as { meta: { nextCursor?: string } };
    if (meta.nextCursor === undefined) break;
    cursor = meta.nextCursor;
  }
  return {
    name: 'next page by cursor',
    request: (number) => get(cursorPage(cursors[number % cursors.length] ?? '*')),
  };
}

const cursorPage = (cursor: string): string =>
  `${CITY}&pageSize=${PAGE_SIZE}&cursor=${encodeURIComponent(cursor)}`;

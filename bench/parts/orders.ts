import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { dayAfterToday } from '../dataset.ts';
import { get, type HttpConnection } from '../http-connection.ts';
import { type Ask, bodyOf, type Latency, measure } from '../measure.ts';
import { PAGE_SIZE } from '../query-kinds.ts';
import { compared } from '../results.ts';

const AT_MOST = 1.5;
const FLEXIBLE_AT_MOST = 3;
const CASE_LIMIT_SECONDS = 180;
const BUSY_CITIES = 12;
const FIRST_PAGES = 5;

type Order = 'newest' | 'price' | 'total_price';

interface Case {
  /** The filters of the request with this number. Requests differ, so that each one causes a search. */
  query: (number: number) => Record<string, string | number>;
  orders: readonly Order[];
}

const city = (number: number) => `city-${(number * 5) % BUSY_CITIES}`;
const dates = (number: number) => ({
  date: dayAfterToday(4 + (number % 25)),
  date_to: dayAfterToday(6 + (number % 25)),
});

const CASES: Readonly<Record<string, Case>> = {
  'no filter': { query: () => ({}), orders: ['newest', 'price'] },
  city: { query: (n) => ({ city: city(n) }), orders: ['newest', 'price'] },
  'date range': { query: dates, orders: ['newest', 'price', 'total_price'] },
  'date range and city': {
    query: (n) => ({ ...dates(n), city: city(n) }),
    orders: ['newest', 'price', 'total_price'],
  },
};

/** Windows of 31 dates within the calendars. */
const windows = (number: number) => ({
  date: dayAfterToday(number % 9),
  date_to: dayAfterToday(30 + (number % 9)),
  city: city(number),
});

/**
 * Measures the latency of an order's first pages, with their total, relative to pages with the newest items
 * first. It also measures flexible stays relative to a range of the same length.
 */
export async function orders(context: BenchContext): Promise<void> {
  const service = await context.query(await context.dataset(context.items), UNCACHED);
  const connection = context.connect(service.port);
  for (const [name, { query, orders: measured }] of Object.entries(CASES)) {
    const times = await context.step(name, CASE_LIMIT_SECONDS, () =>
      measure(
        Object.fromEntries(
          measured.map((sort) => [
            sort,
            (number: number) => bodyOf(connection, get(targetOf({ ...query(number), sort }, number))),
          ]),
        ),
      ),
    );
    const { newest, ...others } = times as Record<Order, Latency>;
    const peer = { name: 'newest first', figure: newest.p50 };
    context.report(
      Object.entries(others).map(([sort, { p50 }]) =>
        compared(`page by ${sort}, ${name}`, 'ms', p50, peer, { target: { atMost: AT_MOST } }),
      ),
      { [name]: times },
    );
  }
  await flexibleStays(context, connection);
}

async function flexibleStays(context: BenchContext, connection: HttpConnection): Promise<void> {
  const ask =
    (more: Record<string, string | number>): Ask =>
    (number) =>
      bodyOf(connection, get(targetOf({ ...windows(number), ...more }, number)));
  const times = await context.step('flexible stays', CASE_LIMIT_SECONDS, () =>
    measure({
      range: ask({}),
      'newest first': ask({ nights: 3 }),
      'cheapest first': ask({ nights: 3, sort: 'total_price' }),
    }),
  );
  const { range, ...others } = times as Record<'range' | 'newest first' | 'cheapest first', Latency>;
  const peer = { name: 'range of 31 dates', figure: range.p50 };
  context.report(
    Object.entries(others).map(([order, { p50 }]) =>
      compared(`3 nights within 31 dates, ${order}`, 'ms', p50, peer, {
        target: { atMost: FLEXIBLE_AT_MOST },
      }),
    ),
    { 'flexible stays': times },
  );
}

const targetOf = (query: Record<string, string | number>, number: number): string => {
  const parameters = { ...query, pageSize: PAGE_SIZE, page: 1 + (number % FIRST_PAGES) };
  const entries = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
  return `/api/public-feed?${new URLSearchParams(entries)}`;
};

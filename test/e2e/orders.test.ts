import type { Availability, Item } from '@vitrine/feed-index';
import { CROWD, day, pagingItems, Random, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { pagingCrawl } from '../support/feed-clients.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

/** VITRINE_FULL=1 uses the size of a real market and Elasticsearch's own window, and takes some minutes. */
const FULL = process.env.VITRINE_FULL === '1';
const { count, resultWindow, randomPages } = FULL
  ? { count: 200_000, resultWindow: 10_000, randomPages: 200 }
  : { count: 4_000, resultWindow: 300, randomPages: 20 };
/** Seed for the random pages. The test prints the seed, and `VITRINE_SEED` sets it. */
const SEED = Number(process.env.VITRINE_SEED ?? Date.now() % 1_000_000);

type Key = (item: Item) => number;
const keys: Record<string, Key> = {
  newest: ({ published_at }) => -published_at,
  price: ({ feed_item }) => feed_item.price,
  rating: ({ feed_item }) => (feed_item.rating === undefined ? 1 : -feed_item.rating),
};

/** Number of dates in each calendar, from TODAY on. */
const CALENDAR_DAYS = 24;
const cents = (price: number): number => Math.round(price * 100);

/** A calendar with few distinct totals. The cheapest and the most expensive items have one price. */
function calendarOf({ feed_item: { price } }: Item, random: Random): Availability[] {
  const isExtreme = price < 1 || price > 1e9;
  return Array.from({ length: CALENDAR_DAYS }, (_, i) => ({
    date: day(i),
    available: random.chance(0.85),
    price: isExtreme ? price : (cents(price) + random.pick([0, 0, 0, 1_000, 3_007])) / 100,
  }));
}

/** The total of the cheapest run of `nights` available dates in a window; undefined if there is none. */
function cheapest(
  { calendar }: Item,
  [from, to]: readonly [number, number],
  nights: number,
): number | undefined {
  const totals: number[] = [];
  for (let first = from; first + nights - 1 <= to; first++) {
    const run = calendar.slice(first, first + nights);
    // The calendar ends before the window does.
    if (run.length === nights && run.every(({ available }) => available))
      totals.push(run.reduce((sum, { price }) => sum + cents(price), 0));
  }
  return totals.length > 0 ? Math.min(...totals) : undefined;
}

/** The ids in ascending order by a key, and then by the ids themselves. */
const inOrder = (items: readonly Item[], key: Key): string[] =>
  items.toSorted((a, b) => key(a) - key(b) || (a.id < b.id ? -1 : 1)).map(({ id }) => id);

describe(`query service: ${count} items in every order`, function () {
  this.timeout(FULL ? 1_800_000 : 600_000);
  const calendars = new Random(9);
  const items = pagingItems(count).map((item): Item => ({ ...item, calendar: calendarOf(item, calendars) }));
  const random = new Random(SEED);
  let deployment: QueryDeployment;
  let crawl: ReturnType<typeof pagingCrawl>;
  const start = (window: number) => async () => {
    deployment = await startQuery({ env: { FEED_TODAY: TODAY }, shards: 3, resultWindow: window });
    await deployment.createIndex(items);
    crawl = pagingCrawl(deployment.origin);
  };

  before(() => process.stderr.write(`# VITRINE_SEED=${SEED}\n`));

  const expectSame = (found: string[], expected: string[], what: string) => {
    const wrong = found.findIndex((id, rank) => id !== expected[rank]);
    expect(wrong === -1 ? 'none' : `${found[wrong]} at ${wrong}, not ${expected[wrong]}`, what).to.equal(
      'none',
    );
    expect(found.length, what).to.equal(expected.length);
  };
  const expectPages = async (query: string, pageSize: number, numbers: number[], expected: string[]) => {
    const pageCount = Math.ceil(expected.length / pageSize);
    for (const [i, { ids, meta }] of (await crawl.pages(query, pageSize, numbers)).entries()) {
      const from = ((numbers[i] ?? 1) - 1) * pageSize;
      expectSame(ids, expected.slice(from, from + pageSize), `${query}, ${pageSize} on page ${numbers[i]}`);
      expect([meta.total, meta.pageCount], query).to.deep.equal([expected.length, pageCount]);
    }
  };
  const everyPage = (length: number, pageSize: number) =>
    Array.from({ length: Math.ceil(length / pageSize) + 1 }, (_, i) => i + 1);

  /** Filters, and the items that they select. */
  const filters: [query: string, selects: (item: Item) => boolean][] = [
    ['', () => true],
    ['city=recife', ({ city }) => city === 'recife'],
    [`lat=${CROWD.lat}&lng=${CROWD.lon}&city=sao-paulo`, ({ city }) => city === 'sao-paulo'],
    ['min_rating=4.8', ({ feed_item: { rating = -1 } }) => rating >= 4.8],
    ['max_price=149.9', ({ feed_item }) => feed_item.price <= 149.9],
  ];

  describe('by a value', () => {
    before(start(resultWindow));
    after(() => deployment?.close());

    for (const [sort, key] of Object.entries(keys)) {
      for (const [filter, selects] of filters) {
        const query = `sort=${sort}&${filter}`;
        const expected = inOrder(items.filter(selects), key);

        it(`${query}: numbered pages at every depth, and a cursor crawl`, async () => {
          await expectPages(query, 100, everyPage(expected.length, 100), expected);
          for (const size of [1, 7, 20, 97]) {
            const pageCount = Math.ceil(expected.length / size);
            const numbers = Array.from(
              { length: randomPages },
              () => 1 + Math.floor(random.fraction() * pageCount),
            );
            await expectPages(query, size, numbers, expected);
          }
          expectSame(await crawl.byCursor(query, 100), expected, `${query} by cursor`);
        });
      }
    }

    it('a cursor with an invented key continues at the place of this key', async () => {
      for (const [sort, invented, follows] of [
        ['price', 149.95, ({ feed_item }) => feed_item.price > 149.95],
        ['price', 1e300, () => false],
        ['rating', 4.75, ({ feed_item: { rating = -1 } }) => rating < 4.75],
        ['rating', null, () => false],
        ['rating', 0, ({ feed_item }) => feed_item.rating === undefined],
      ] as [string, number | null, (item: Item) => boolean][]) {
        const { meta } = await crawl.get(`sort=${sort}&cursor=*`);
        const parts = JSON.parse(Buffer.from(meta.nextCursor ?? '', 'base64url').toString()) as unknown[];
        const cursor = Buffer.from(JSON.stringify([...parts.slice(0, 2), invented, '~'])).toString(
          'base64url',
        );
        const { data } = await crawl.get(`sort=${sort}&pageSize=100&cursor=${cursor}`);
        expectSame(
          data.map(({ id }) => id),
          inOrder(items.filter(follows), keys[sort] as Key).slice(0, 100),
          `${sort} after ${invented}`,
        );
      }
    });

    it('a cursor of one order is refused in another one', async () => {
      const { meta } = await crawl.get('sort=price&cursor=*');
      for (const sort of ['rating', 'newest']) {
        const response = await fetch(
          `${deployment.origin}/api/public-feed?sort=${sort}&cursor=${meta.nextCursor}`,
        );
        expect(response.status, sort).to.equal(400);
        await response.body?.cancel();
      }
    });
  });

  describe('by total', () => {
    // The service reads 1,000 calendars in one search.
    before(start(10_000));
    after(() => deployment?.close());

    for (const [dates, nights] of [
      [[3, 5], undefined],
      [[0, 0], undefined],
      [[2, 20], 4],
      [[5, 5 + CALENDAR_DAYS], 7],
    ] as const) {
      for (const [filter, selects] of filters.slice(0, 3)) {
        const [first, last] = dates;
        const window = `date=${day(first)}&date_to=${day(last)}${nights ? `&nights=${nights}` : ''}`;
        const query = `sort=total_price&${window}&${filter}`;

        it(`${query}: numbered pages at every depth, and a cursor crawl`, async () => {
          const totals = new Map(
            items.filter(selects).map((item) => [item, cheapest(item, dates, nights ?? last - first + 1)]),
          );
          const expected = inOrder(
            [...totals].flatMap(([item, total]) => (total === undefined ? [] : [item])),
            (item) => totals.get(item) ?? Number.NaN,
          );
          expect(expected.length).to.be.above(100);
          await expectPages(query, 100, everyPage(expected.length, 100), expected);
          const pageCount = Math.ceil(expected.length / 7);
          const numbers = Array.from({ length: 30 }, () => 1 + Math.floor(random.fraction() * pageCount));
          await expectPages(query, 7, numbers, expected);
          expectSame(await crawl.byCursor(query, 100), expected, `${query} by cursor`);
        });
      }
    }
  });
});

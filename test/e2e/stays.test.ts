import { setTimeout as sleep } from 'node:timers/promises';
import type { Item } from '@vitrine/feed-index';
import { day, Random, TODAY } from '@vitrine/fixtures';
import { deriveItem, EMPTY_STATE, type ListingState } from '@vitrine/listing';
import { expect } from 'chai';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import {
  answerStays,
  countUnknown,
  later,
  nextDate,
  type StayListing,
  type StayQuestion,
} from '../support/oracle/stays.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

/**
 * Each run asks different questions about different calendars. The title shows the seed, and `VITRINE_SEED`
 * sets it.
 */
const SEED = Number(process.env.VITRINE_SEED ?? Math.floor(Math.random() * 1_000_000));
const QUESTIONS = process.env.VITRINE_FULL === '1' ? 20_000 : 1_500;
const LISTINGS = 150;
const CLIENTS = 4;
/** Tests and services may share a slow machine, so a request may receive 503. */
const ATTEMPTS = 100;
const AGAIN_AFTER_MS = 500;
const CITIES = ['Olinda', 'Recife', 'Natal'] as const;

interface Page {
  data: { id: string; stay?: object }[];
  meta: { total: number; pageCount: number; nextCursor?: string; stays?: object[] };
}

/** The state of a listing whose calendar has these dates. A null price means that the date is taken. */
const stateOf = (listing: StayListing): ListingState => ({
  ...EMPTY_STATE,
  first_seen: listing.publishedAt,
  fields: {
    title: [1, `Casa ${listing.id}`],
    price: [1, listing.price],
    location: [1, { city: listing.city }],
    ...(listing.rating !== undefined && { rating: [1, listing.rating] as [number, number] }),
    url: [1, `https://example.com/${listing.id}`],
  },
  dates: Object.fromEntries(
    [...listing.calendar].map(([date, price]) => [date, price === null ? [1, false] : [1, true, price]]),
  ),
});

const itemOf = (listing: StayListing): Item => {
  const { item } = deriveItem(listing.id, stateOf(listing));
  if (!item) throw new Error('the listing is complete');
  return item;
};

/** Calendars of every kind: with gaps, taken dates, equal prices, weekends, one date, and none. */
function generatedListings(count: number, random: Random): StayListing[] {
  return Array.from({ length: count }, (_, number) => {
    const price = random.pick([
      100,
      100,
      120,
      99.99,
      random.integer(50, 400),
      random.integer(5_000, 40_000) / 100,
    ]);
    const [begin, length] = [random.integer(-20, 40), random.pick([0, 1, 5, 40, 90, 130])];
    const kind = random.pick(['flat', 'weekend', 'varied', 'cents', 'spread'] as const);
    const [known, open] = [random.pick([1, 1, 0.95]), random.pick([1, 0.97, 0.9, 0.6])];
    const calendar = new Map<string, number | null>();
    for (let offset = begin; offset < begin + length; offset++) {
      if (!random.chance(known)) continue;
      const prices = {
        flat: price,
        weekend: offset % 7 < 2 ? price + 50 : price,
        varied: price + 10 * random.integer(0, 3),
        cents: price + random.integer(0, 99) / 100,
        spread: random.pick([1, 1_000_000, price]),
      };
      calendar.set(day(offset), random.chance(open) ? Math.round(prices[kind] * 100) / 100 : null);
    }
    return {
      id: `${random.pick(['a', 'B', 'ç', '-'])}${number}`,
      city: random.pick(CITIES),
      price,
      rating: random.pick([undefined, 4, 4.5, 5]),
      publishedAt: Date.parse(TODAY) - random.integer(0, 30) * 1_000,
      calendar,
    };
  });
}

function generatedQuestion(random: Random): StayQuestion {
  const date = day(random.integer(-8, 120));
  const isFlexible = random.chance(0.6);
  const nights = isFlexible ? random.pick([1, 2, 2, 3, 5, 7, 14, 30]) : undefined;
  const dates = isFlexible
    ? Math.min((nights ?? 1) + random.pick([0, 1, 6, 20, 62]), 92)
    : random.pick([1, 2, 3, 5, 7, 31]);
  const typical = (nights ?? dates) * random.pick([90, 100, 100, 120, 250]);
  return {
    date,
    dateTo: later(date, dates - 1),
    nights,
    minTotal: random.chance(0.2) ? typical - random.integer(0, 50) : undefined,
    maxTotal: random.chance(0.4) ? typical + random.pick([0, 0, 0.01, 30, 100]) : undefined,
    city: random.chance(0.3) ? random.pick(CITIES) : undefined,
    sort: random.pick([undefined, 'total_price', 'total_price', 'price', 'rating'] as const),
  };
}

const asksForStay = ({ nights, minTotal, maxTotal, sort }: StayQuestion): boolean =>
  sort === 'total_price' || [nights, minTotal, maxTotal].some((one) => one !== undefined);

function queryOf({ date, dateTo, nights, minTotal, maxTotal, city, sort }: StayQuestion): URLSearchParams {
  const given = {
    date,
    date_to: dateTo,
    nights,
    min_total_price: minTotal,
    max_total_price: maxTotal,
    city,
    sort,
  };
  return new URLSearchParams(
    Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  );
}

describe('stays on the feeds', () => {
  let service: QueryDeployment;
  let listings: StayListing[];
  before(async function () {
    this.timeout(120_000);
    listings = generatedListings(LISTINGS, new Random(SEED));
    service = await startQuery({ env: { FEED_TODAY: TODAY, CACHE_BYTES: '0' } });
    await service.createIndex(listings.map(itemOf));
  });
  after(() => service?.close());

  const read = async (path: string, attempts = ATTEMPTS): Promise<Page> => {
    const response = await fetch(`${service.origin}/api/${path}`);
    const body = await response.text();
    if (response.status === 503 && attempts > 1) {
      await sleep(AGAIN_AFTER_MS);
      return read(path, attempts - 1);
    }
    expect(response.status, `${path} ${body}`).to.equal(200);
    return JSON.parse(body) as Page;
  };

  it(`equal the oracle in ${QUESTIONS} random questions (VITRINE_SEED=${SEED})`, async () => {
    const random = new Random(SEED + 1);
    const questions = Array.from({ length: QUESTIONS }, () => ({
      question: generatedQuestion(random),
      feed: random.pick(['ai-feed', 'ai-feed', 'public-feed']),
      page: random.pick([1, 1, 1, 2, 5]),
      pageSize: random.pick([1, 7, 20, 100]),
    })).values();
    let matches = 0;
    const client = async () => {
      for (const { question, feed, page, pageSize } of questions) {
        const { items, stays } = answerStays(listings, question, TODAY);
        const path = `${feed}?${queryOf(question)}&page=${page}&pageSize=${pageSize}`;
        const { data, meta } = await read(path);
        expect(meta.total, path).to.equal(items.length);
        const expected = items.slice((page - 1) * pageSize, page * pageSize);
        const asked = asksForStay(question);
        expect(
          data.map(({ id, stay }) => ({ id, stay })),
          path,
        ).to.deep.equal(expected.map(({ id, stay }) => ({ id, stay: asked ? stay : undefined })));
        expect(meta.stays, path).to.deep.equal(asked && feed === 'ai-feed' ? stays : undefined);
        matches += items.length;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    expect(matches).to.be.greaterThan(QUESTIONS);
  }).timeout(600_000);

  it('come in the order of their totals through every page of a crawl', async () => {
    const question: StayQuestion = { date: day(2), dateTo: day(40), nights: 3, sort: 'total_price' };
    const { items } = answerStays(listings, question, TODAY);
    const found: Page['data'] = [];
    for (let cursor: string | undefined = '*'; cursor !== undefined; ) {
      const { data, meta } = await read(`ai-feed?${queryOf(question)}&pageSize=7&cursor=${cursor}`);
      found.push(...data);
      cursor = meta.nextCursor;
    }
    expect(found.map(({ id, stay }) => ({ id, stay }))).to.deep.equal(items);
  }).timeout(120_000);

  it('that no listing has are counted by the listings with unknown dates, even in gaps', async () => {
    const ask = async (city: string, date: string, date_to: string) => {
      const response = await fetch(`${service.origin}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'search_listings',
            // No total is that low, so the search finds nothing.
            arguments: { city, date, date_to, max_total_price: 0 },
          },
        }),
      });
      const text = await response.text();
      return /"calendar_unknown":(\d+)/.exec(text)?.[1];
    };
    for (const city of CITIES)
      for (const [offset, dates] of [
        [0, 3],
        [30, 7],
        [60, 31],
        [110, 5],
      ] as const) {
        const [first, last] = [day(offset), later(day(offset), dates - 1)];
        const unknown = countUnknown(
          listings.filter((one) => one.city === city),
          first,
          last,
        );
        expect(await ask(city, first, last), `${city} ${first}`).to.equal(String(unknown));
      }
  }).timeout(120_000);

  it('of hostile calendars are exact: 3,660 prices, the first and the last year, one date, and prices of 1e15', async () => {
    const dates = (first: string, count: number, price: (i: number) => number) => {
      const calendar = new Map<string, number | null>();
      for (let i = 0, date = first; i < count && date <= '9999-12-31'; i++, date = nextDate(date))
        calendar.set(date, price(i));
      return calendar;
    };
    const hostile = [
      dates('0001-01-01', 1, () => 5),
      dates('9999-12-25', 7, (i) => 10 - i),
      new Map([
        ...dates('0001-01-01', 1, () => 5),
        ...dates(day(10), 3, () => 70),
        ...dates('9999-12-31', 1, () => 1),
      ]),
      dates(day(3), 1, () => 50),
      dates(day(0), 3_660, (i) => 100 + i / 100),
      dates(day(0), 40, () => 1e15),
      dates(day(0), 40, (i) => 1e12 - i / 100),
      dates(day(0), 40, (i) => (i % 2 === 0 ? 1e12 : 0.01)),
    ].map(
      (calendar, i): StayListing => ({
        id: `hostile-${i}`,
        city: 'Olinda',
        price: 9,
        publishedAt: i,
        calendar,
      }),
    );
    const other = await startQuery({ env: { FEED_TODAY: TODAY, CACHE_BYTES: '0' } });
    try {
      await other.createIndex(hostile.map(itemOf));
      const questions: StayQuestion[] = [
        { date: '9999-12-25', dateTo: '9999-12-31', nights: 3, sort: 'total_price' },
        { date: '9999-12-30', dateTo: '9999-12-31', sort: 'total_price' },
        { date: day(2), dateTo: day(33), nights: 3, sort: 'total_price' },
        { date: day(2), dateTo: day(31), nights: 30, maxTotal: 1e15 },
        { date: day(2), dateTo: day(31), nights: 30, minTotal: 1e15 },
        { date: day(3), sort: 'total_price' },
        { date: day(3_650), dateTo: day(3_665), nights: 2, sort: 'total_price' },
      ];
      for (const question of questions) {
        const path = `ai-feed?${queryOf(question)}`;
        const response = await fetchAccepted(`${other.origin}/api/${path}`);
        const { data, meta } = (await response.json()) as Page;
        const { items, stays } = answerStays(hostile, question, TODAY);
        expect(response.status, path).to.equal(200);
        expect(
          data.map(({ id, stay }) => ({ id, stay })),
          path,
        ).to.deep.equal(items);
        expect(meta.stays, path).to.deep.equal(stays);
      }
    } finally {
      await other.close();
    }
  }).timeout(120_000);
});

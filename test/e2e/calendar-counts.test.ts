import { setTimeout as sleep } from 'node:timers/promises';
import { type Item, offersOf } from '@vitrine/feed-index';
import { day, generateItems, Random, TODAY } from '@vitrine/fixtures';
import { deriveItem, EMPTY_STATE, fold, type ListingState } from '@vitrine/listing';
import { decodeRecord, type ListingEvent } from '@vitrine/listing-events';
import { expect } from 'chai';
import type { Published } from '../support/deployment.ts';
import { fetchAccepted } from '../support/fetch-accepted.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { hasRentals, RENTALS, readRentals } from '../support/rentals.ts';

const IS_FULL = process.env.VITRINE_FULL === '1';
/** Days between two requested dates. Each has a window of seven dates, so no date is left out. */
const DATE_STEP = IS_FULL ? 1 : 7;
const CLIENTS = 4;
/** Tests and services may share a slow machine, so a request may receive 503. */
const ATTEMPTS = 20;
const AGAIN_AFTER_MS = 500;

interface Page {
  meta: {
    total: number;
    availability?: { date: string; items: number; min_price?: number; max_price?: number }[];
  };
}

/** The items derived from the real rentals. */
function rentalItems(): Item[] {
  const events = readRentals<Published>('events').flatMap(({ key, value }): ListingEvent[] => {
    const bytes = (part: Published['key']) => (part === null ? null : Buffer.from(part));
    const decoded = decodeRecord({ key: bytes(key), value: bytes(value) });
    return decoded.outcome === 'event' ? [decoded.event] : [];
  });
  return [...Map.groupBy(events, ({ id }) => id)].flatMap(
    ([id, ofListing]) => deriveItem(id, fold(EMPTY_STATE, ofListing)).item ?? [],
  );
}

/**
 * Maps each date in a calendar to its price before rounding. A date without a price has the listing's price.
 */
type Calendar = ReadonlyMap<string, number | null>;

const stateOf = (number: number, price: number, prices: Calendar): ListingState => ({
  ...EMPTY_STATE,
  first_seen: Date.parse(TODAY) - number * 1_000,
  fields: {
    title: [1, `Casa ${number}`],
    price: [1, price],
    location: [1, { city: number % 2 ? 'Olinda' : 'Recife', lat: -8 - (number % 50) / 100, lng: -34.9 }],
    category: [1, ['Casa', 'Chalé', 'Sítio'][number % 3] as string],
    url: [1, `https://example.com/${number}`],
  },
  dates: Object.fromEntries(
    [...prices].map(([date, own]) => [date, own === null ? [1, true] : [1, true, own]]),
  ),
});

/** A calendar of 400 dates, the first of which is past. */
const longest = (priceOf: (i: number) => number | null): Calendar =>
  new Map(Array.from({ length: 400 }, (_, i) => [day(i - 1), priceOf(i)]));
/** Calendars at the limits of the event schema and of the rounding to cents. */
const EXTREMES: readonly Calendar[] = [
  new Map(),
  longest(() => null),
  longest(() => 0),
  longest(() => 0.004),
  longest(() => 0.005),
  longest((i) => (i % 2 ? 1e12 : 0.01)),
  longest((i) => 1e12 - i / 100),
  longest((i) => 100 + i / 100_000),
  longest((i) => [99.995, 100.004, 100, null][i % 4] as number | null),
  new Map([[day(-1), 7]]),
];

/** Listings with up to 400 dates and up to 400 prices, some of which are equal only after rounding. */
function generatedItems(count: number): Item[] {
  const random = new Random(19);
  const itemOf = (number: number, calendar: Calendar) => {
    const { item } = deriveItem(`item-${number}`, stateOf(number, 100 + number, calendar));
    if (!item) throw new Error('the listing is complete');
    return item;
  };
  const generated = Array.from({ length: count }, (_, number) => {
    const [days, prices] = number === 0 ? [400, 400] : [random.integer(0, 400), random.integer(1, 400)];
    const step = random.pick([0.001, 0.004, 1]);
    const calendar = new Map<string, number>();
    for (let offset = -2; offset < days - 2; offset++)
      if (random.chance(0.8) || number === 0)
        calendar.set(day(offset), 50 + step * (number === 0 ? offset + 2 : random.integer(0, prices - 1)));
    return itemOf(number, calendar);
  });
  return [...generated, ...EXTREMES.map((calendar, i) => itemOf(count + i, calendar))];
}

describe('the total and the counts by date', () => {
  const check = (title: string, makeItems: () => Item[], isPresent = () => true) =>
    describe(title, () => {
      let items: Item[];
      let service: QueryDeployment | undefined;
      before(async function () {
        if (!isPresent()) {
          process.stderr.write(`# left out: ${RENTALS} is not here, so its calendars are not compared\n`);
          this.skip();
        }
        items = makeItems();
        const env = { FEED_TODAY: TODAY, CACHE_BYTES: '0' };
        service = await startQuery({ env });
        await service.createIndex(items);
      });
      after(() => service?.close());

      const read = async (path: string, attempts = ATTEMPTS): Promise<Page> => {
        const response = await fetch(`${service?.origin}/api/${path}`);
        if (response.status === 503 && attempts > 1) {
          await response.body?.cancel();
          await sleep(AGAIN_AFTER_MS);
          return read(path, attempts - 1);
        }
        expect(response.status, path).to.equal(200);
        return (await response.json()) as Page;
      };
      const requestedDates = () => {
        const last =
          items
            .flatMap(({ calendar }) => calendar.at(-1)?.date ?? [])
            .sort()
            .at(-1) ?? TODAY;
        const days = Math.round((Date.parse(last) - Date.parse(TODAY)) / 86_400_000) + 5;
        return Array.from({ length: Math.ceil((days + 5) / DATE_STEP) }, (_, i) => day(i * DATE_STEP - 5));
      };
      it('are those that follow from the calendars', async () => {
        const offers = items.map((item) => new Map(offersOf(item).map(({ date, price }) => [date, price])));
        const summary = (date: string) => {
          const prices = offers.flatMap((ofItem) => ofItem.get(date) ?? []);
          return prices.length === 0
            ? { date, items: 0 }
            : { date, items: prices.length, min_price: Math.min(...prices), max_price: Math.max(...prices) };
        };
        let counted = 0;
        const queries = requestedDates()
          .flatMap((date) => [['ai-feed', date] as const, ['public-feed', date] as const])
          .values();
        const client = async () => {
          for (const [feed, date] of queries) {
            const query = `${feed}?pageSize=1&date=${date}`;
            const { meta } = await read(query);
            expect(meta.total, query).to.equal(date < TODAY ? 0 : summary(date).items);
            for (const one of meta.availability ?? []) expect(one, query).to.deep.equal(summary(one.date));
            counted += meta.availability?.length ?? 0;
          }
        };
        await Promise.all(Array.from({ length: CLIENTS }, client));
        expect(counted).to.be.at.least(requestedDates().length);
      });
    });

  check('on the real calendars', rentalItems, () => hasRentals);
  check('on calendars with up to 400 dates and 400 prices', () => generatedItems(IS_FULL ? 1_000 : 150));

  it('include the largest calendar, the longest labels and the longest title', async () => {
    const DATES = 3_660;
    const long = 'ç'.repeat(100_000);
    const prices = new Map(Array.from({ length: DATES }, (_, i) => [day(i), 1 + i]));
    const { fields, ...state } = stateOf(1, 9, prices);
    const largest = deriveItem('largest', {
      ...state,
      fields: {
        ...fields,
        title: [1, long],
        location: [1, { city: long }],
        category: [1, long],
        sub_category: [1, long],
      },
    }).item as Item;
    const service = await startQuery({ env: { FEED_TODAY: TODAY } });
    try {
      await service.createIndex([largest, ...generateItems(3)]);
      const { meta } = (await (
        await fetchAccepted(`${service.origin}/api/ai-feed?date=${day(DATES - 1)}`)
      ).json()) as Page;
      expect(meta.availability?.[3]).to.deep.equal({
        date: day(DATES - 1),
        items: 1,
        min_price: DATES,
        max_price: DATES,
      });
    } finally {
      await service.close();
    }
  });
});

import type { Client } from '@elastic/elasticsearch';
import type { Availability, ItemDocument } from '@vitrine/feed-index';
import { inBatches } from './batches.ts';

const DAY_MS = 86_400_000;
/** The first date of every calendar: what the services are told is today. */
export const TODAY = '2026-12-01';
const NEWEST = Date.parse(`${TODAY}T12:00:00Z`);
export const CITIES = 40;
const BULK_ITEMS = 1_000;
/** As many dates as an item of a real rental market has, on average; about 28 of them are open. */
export const CALENDAR_DAYS = 40;
const OPEN = 0.7;

/** TODAY moved by `days`, as YYYY-MM-DD. */
export const dayAfterToday = (days: number): string => new Date(NEWEST + days * DAY_MS).toISOString().slice(0, 10);

/** A linear congruential generator: the same market at every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The same `count` items at every call, with calendars of `days` dates from TODAY on. */
export function* marketItems(count: number, days = CALENDAR_DAYS): Generator<ItemDocument> {
  const next = random(20_261_201);
  for (let number = 0; number < count; number++) yield marketItem(number, days, next);
}

/** Writes the market to `index`, and waits until its segments are merged as far as they will be: merging would be measured otherwise. */
export async function indexMarket(
  elasticsearch: Client,
  index: string,
  { count, days, onProgress }: { count: number; days: number; onProgress: (written: number) => void },
): Promise<void> {
  let written = 0;
  for (const items of inBatches(marketItems(count, days), BULK_ITEMS)) {
    const { errors } = await elasticsearch.bulk({ index, operations: items.flatMap((item) => [{ index: { _id: item.id } }, item]) });
    if (errors) throw new Error('an item was refused');
    written += items.length;
    onProgress(written);
  }
  await elasticsearch.indices.refresh({ index });
  await untilMerged(elasticsearch, index);
}

async function untilMerged(elasticsearch: Client, index: string): Promise<void> {
  for (let calm = 0; calm < 4; ) {
    const { _all } = await elasticsearch.indices.stats({ index, metric: 'merge' });
    calm = _all.primaries?.merges?.current === 0 ? calm + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Where the items of a city are, within half a degree to the north and east. */
export const corner = (city: number): { lat: number; lon: number } => ({ lat: -5 - (city % 8) * 3, lon: -36 - Math.floor(city / 8) * 3 });

function marketItem(number: number, days: number, next: () => number): ItemDocument {
  const id = `listing-${(number * 7_919) % 10_000_019}`;
  const city = Math.floor(next() ** 2 * CITIES);
  const price = 80 + Math.floor(next() * 900);
  const calendar: Availability[] = Array.from({ length: days }, (_, day) => ({ date: dayAfterToday(day), available: next() < OPEN, price }));
  const open = calendar.filter(({ available }) => available);
  const { lat, lon } = corner(city);
  return {
    id,
    published_at: NEWEST - Math.floor(next() * 730 * DAY_MS),
    ad_type: 'rent',
    city: `city-${city}`,
    category: next() < 0.6 ? 'entire-home-apt' : 'private-room',
    point: { lat: lat + next() * 0.5, lon: lon + next() * 0.5 },
    open_dates: open.map(({ date }) => date),
    offers: open.map(({ date }) => ({ date, price })),
    feed_item: {
      id,
      title: `Apartamento ${number} perto da praia`,
      description: 'Apartamento com varanda, cozinha completa e garagem. '.repeat(4),
      category: 'entire-home-apt',
      price,
      currency: 'BRL',
      location: { city: `City ${city}`, country: 'BR' },
      url: `https://example.com/catalogo/${id}`,
    },
    calendar,
  };
}

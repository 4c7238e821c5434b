import type { Client } from '@elastic/elasticsearch';
import { type Availability, CURRENT_ITEMS, type Item } from '@vitrine/feed-index';
import { addDays, Random } from '@vitrine/fixtures';
import { inBatches } from './batches.ts';
import { pause } from './time-limit.ts';

const DAY_MS = 86_400_000;
/** The first date of every calendar. The services use it as the current date. */
export const TODAY = '2026-12-01';
const NEWEST = Date.parse(`${TODAY}T12:00:00Z`);
export const CITIES = 40;
const BULK_ITEMS = 1_000;
/** While Elasticsearch indexes one request, this process creates the next ones. */
const BULKS_AT_A_TIME = 3;
/** The number of dates per item, as on a real rental marketplace. About 28 of these dates are available. */
export const CALENDAR_DAYS = 40;
const OPEN = 0.7;
export const SEED = 20_261_201;
/** The number of polls without a running merge after which merging counts as finished. */
const CALM_POLLS = 4;
const POLL_MS = 500;

/** TODAY plus `days`, as YYYY-MM-DD. */
export const dayAfterToday = (days: number): string => addDays(TODAY, days);

/**
 * Generates `count` items, each with a calendar of `days` dates from TODAY on. Every call returns the same
 * items.
 */
export function* datasetItems(count: number, days = CALENDAR_DAYS): Generator<Item> {
  const random = new Random(SEED);
  for (let number = 0; number < count; number++) yield datasetItem(number, days, random);
}

/**
 * Writes the items to `index`, and waits until Elasticsearch has merged the index's segments, because merging
 * would disturb the measurements.
 */
export async function indexDataset(
  elasticsearch: Client,
  index: string,
  {
    items,
    onProgress,
    signal,
  }: { items: Iterable<Item>; onProgress: (written: number) => void; signal: AbortSignal },
): Promise<void> {
  let written = 0;
  const batches = inBatches(items, BULK_ITEMS);
  const write = async () => {
    for (const batch of batches) {
      signal.throwIfAborted();
      const { errors } = await elasticsearch.bulk({
        index,
        operations: batch.flatMap((item) => [{ index: { _id: item.id } }, CURRENT_ITEMS.documentOf(item)]),
      });
      if (errors) throw new Error('Elasticsearch rejected an item');
      written += batch.length;
      onProgress(written);
    }
  };
  await Promise.all(Array.from({ length: BULKS_AT_A_TIME }, write));
  await elasticsearch.indices.refresh({ index });
  for (let calm = 0; calm < CALM_POLLS; await pause(POLL_MS, signal)) {
    const { _all } = await elasticsearch.indices.stats({ index, metric: 'merge' });
    calm = _all.primaries?.merges?.current === 0 ? calm + 1 : 0;
  }
}

/**
 * The number of distinct prices in a calendar. Most calendars have one, as on a real rental marketplace,
 * where the mean is 1.46.
 * @param fraction from 0 to 1, evenly distributed over the items
 */
const pricesOf = (fraction: number): number => {
  if (fraction < 0.6) return 1;
  return fraction < 0.9 ? 2 : 4;
};

/** The south-west corner of a city. The city's items lie within half a degree to the north and east. */
export const cityCorner = (city: number): { lat: number; lon: number } => ({
  lat: -5 - (city % 8) * 3,
  lon: -36 - Math.floor(city / 8) * 3,
});

/** The id of the item with this number. */
export const datasetId = (number: number): string => `listing-${(number * 7_919) % 10_000_019}`;

function datasetItem(number: number, days: number, random: Random): Item {
  const id = datasetId(number);
  const city = Math.floor(random.fraction() ** 2 * CITIES);
  const price = 80 + Math.floor(random.fraction() * 900);
  const prices = pricesOf(random.fraction());
  const calendar: Availability[] = Array.from({ length: days }, (_, day) => ({
    date: dayAfterToday(day),
    available: random.fraction() < OPEN,
    price: price + 10 * (day % prices),
  }));
  const { lat, lon } = cityCorner(city);
  return {
    id,
    published_at: NEWEST - Math.floor(random.fraction() * 730 * DAY_MS),
    ad_type: 'rent',
    city: `city-${city}`,
    category: random.fraction() < 0.6 ? 'entire-home-apt' : 'private-room',
    labels: { city: `City ${city}` },
    title_words: ['apartamento', String(number), 'perto', 'da', 'praia'],
    point: { lat: lat + random.fraction() * 0.5, lon: lon + random.fraction() * 0.5 },
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

import type { Client } from '@elastic/elasticsearch';
import type { Availability, ItemDocument } from '@vitrine/feed-index';

const DAY_MS = 86_400_000;
const NEWEST = Date.parse('2026-12-01T12:00:00Z');
const CITIES = 40;
const BULK_ITEMS = 1_000;
/** As many open dates as an item of a real rental market has, on average. */
const CALENDAR_DAYS = 40;
const OPEN = 0.7;

/** A linear congruential generator: the same market at every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Writes `count` items with about 28 open dates each to `index`. */
export async function indexMarket(elasticsearch: Client, index: string, count: number, onProgress: (written: number) => void): Promise<void> {
  const next = random(20_261_201);
  for (let written = 0; written < count; ) {
    const items = Array.from({ length: Math.min(BULK_ITEMS, count - written) }, (_, i) => marketItem(written + i, next));
    const { errors } = await elasticsearch.bulk({ index, operations: items.flatMap((item) => [{ index: { _id: item.id } }, item]) });
    if (errors) throw new Error('an item was refused');
    written += items.length;
    onProgress(written);
  }
  await elasticsearch.indices.refresh({ index });
}

function marketItem(number: number, next: () => number): ItemDocument {
  const id = `listing-${(number * 7_919) % 10_000_019}`;
  const city = Math.floor(next() ** 2 * CITIES);
  const price = 80 + Math.floor(next() * 900);
  const calendar: Availability[] = Array.from({ length: CALENDAR_DAYS }, (_, day) => ({
    date: new Date(NEWEST + day * DAY_MS).toISOString().slice(0, 10),
    available: next() < OPEN,
    price,
  }));
  const open = calendar.filter(({ available }) => available);
  return {
    id,
    published_at: NEWEST - Math.floor(next() * 730 * DAY_MS),
    ad_type: 'rent',
    city: `city-${city}`,
    category: next() < 0.6 ? 'entire-home-apt' : 'private-room',
    point: { lat: -5 - (city % 8) * 3 + next() * 0.5, lon: -36 - Math.floor(city / 8) * 3 + next() * 0.5 },
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

import type { Client } from '@elastic/elasticsearch';
import { generationNames, type ItemDocument, itemsIndexBody } from '@vitrine/feed-index';
import { seededRandom } from './query-items.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-12-01T12:00:00Z');
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const YEAR_9999 = Date.parse('9999-12-31T23:59:59.999Z');

/** Location of a tenth of the located items of `pagingItems`, all at the same coordinates. */
export const CROWD = { lat: -23.55, lon: -46.63 };
/** Publication time of a tenth of `pagingItems`, all in the same millisecond. */
export const IMPORT = NOW - 3 * DAY_MS;

/**
 * `count` minimal items that make paging hard. A tenth is published in one millisecond, a tenth is at one
 * place and a fifth has no place. Others share a second, and two are at the limits of time.
 */
export function pagingItems(count: number): ItemDocument[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, number) => {
    // Scrambled, so ids are independent of the order of publication and of writing.
    const id = `item-${((number * 7_919) % 1_000_003).toString(36)}`;
    const city = random() < 0.25 ? 'recife' : 'sao-paulo';
    const ordinary = NOW - Math.floor(random() * 60 * DAY_MS);
    const second = Math.floor(ordinary / 1_000) * 1_000;
    const published_at = [YEAR_0, YEAR_9999][number] ?? (random() < 0.1 ? IMPORT : random() < 0.5 ? second : ordinary);
    const chance = random();
    const spread = chance < 0.5 ? 0.2 : 40;
    const point = { lat: CROWD.lat + (random() - 0.5) * spread, lon: CROWD.lon + (random() - 0.5) * spread };
    return bareItem(id, published_at, { city, ...(chance > 0.8 ? {} : { point: chance < 0.1 ? CROWD : point }) });
  });
}

export const bareItem = (id: string, published_at: number, more: Pick<ItemDocument, 'point' | 'city'>): ItemDocument => ({
  id,
  published_at,
  ...more,
  open_dates: [],
  offers: [],
  feed_item: { id, title: id, price: 1, currency: 'BRL', location: { city: 'Recife', country: 'BR' }, url: `https://example.com/${id}` },
  calendar: [],
});

export const itemsIndex = (prefix: string, generation: number): string => generationNames(prefix, generation).items;

export async function createItemsIndex(elasticsearch: Client, index: string, shards: number, resultWindow: number): Promise<void> {
  const { settings, mappings } = itemsIndexBody();
  await elasticsearch.indices.create({ index, settings: { ...settings, number_of_shards: shards, max_result_window: resultWindow }, mappings });
}

const BULK_ITEMS = 5_000;

/** Writes items to an existing index in bulk, and makes them visible. */
export async function indexItems(elasticsearch: Client, index: string, items: ItemDocument[]): Promise<void> {
  for (let start = 0; start < items.length; start += BULK_ITEMS) {
    const operations = items.slice(start, start + BULK_ITEMS).flatMap((item) => [{ index: { _id: item.id } }, item]);
    const { errors } = await elasticsearch.bulk({ index, operations });
    if (errors) throw new Error('an item was refused');
  }
  await elasticsearch.indices.refresh({ index });
}

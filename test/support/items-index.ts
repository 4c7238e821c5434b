import type { Client } from '@elastic/elasticsearch';
import { generationNames, type ItemDocument, itemsIndexBody } from '@vitrine/feed-index';

export const itemsIndex = (prefix: string, generation: number): string =>
  generationNames(prefix, generation).items;

export async function createItemsIndex(
  elasticsearch: Client,
  index: string,
  shards: number,
  resultWindow: number,
): Promise<void> {
  const { settings, mappings } = itemsIndexBody();
  await elasticsearch.indices.create({
    index,
    settings: { ...settings, number_of_shards: shards, max_result_window: resultWindow },
    mappings,
  });
}

const BULK_ITEMS = 5_000;

/** Writes items to an existing index in bulk, and makes them visible. */
export async function indexItems(elasticsearch: Client, index: string, items: ItemDocument[]): Promise<void> {
  for (let start = 0; start < items.length; start += BULK_ITEMS) {
    const operations = items
      .slice(start, start + BULK_ITEMS)
      .flatMap((item) => [{ index: { _id: item.id } }, item]);
    const { errors } = await elasticsearch.bulk({ index, operations });
    if (errors) throw new Error('an item was refused');
  }
  await elasticsearch.indices.refresh({ index });
}

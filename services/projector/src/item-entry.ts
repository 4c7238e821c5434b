import type { Generation } from '@vitrine/feed-index';
import type { BulkEntry } from './bulk-writer.ts';

/**
 * An item's write, or its deletion where there is no item, ordered by its state's revision: an older
 * one never wins over a newer.
 * @param item the item document's JSON
 */
export function itemEntry({ itemsWriter }: Generation, id: string, item: string | undefined, revision: number): BulkEntry {
  const at = { _index: itemsWriter, _id: id, version: revision, version_type: 'external_gte' as const };
  return item === undefined ? { action: { delete: at } } : { action: { index: at }, document: item };
}

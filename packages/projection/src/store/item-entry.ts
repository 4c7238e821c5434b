import type { Generation } from '@vitrine/feed-index';
import type { BulkEntry } from './bulk-writer.ts';

/**
 * Creates the bulk entry that writes an item, or that deletes the item document if the listing has no item.
 * The external version is the revision of the state, so an older item never replaces a newer item.
 * @param item the item document as JSON
 */
export function itemEntry(
  { itemsWriter }: Generation,
  id: string,
  item: string | undefined,
  revision: number,
): BulkEntry {
  const at = { _index: itemsWriter, _id: id, version: revision, version_type: 'external_gte' as const };
  return item === undefined ? { action: { delete: at } } : { action: { index: at }, document: item };
}

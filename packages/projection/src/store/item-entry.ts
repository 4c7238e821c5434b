import type { Generation } from '@vitrine/feed-index';
import type { BulkEntry } from './bulk-writer.ts';

/**
 * The bulk entry that writes an item, or deletes it if there is none. The external version is the state's
 * revision, so an older item never replaces a newer one.
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

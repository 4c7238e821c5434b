import type { ChangeEntry, Generation } from '@vitrine/feed-index';
import type { BulkEntry } from './bulk-writer.ts';

/** Creates the bulk entry that writes a listing's entry. An older revision never replaces a newer entry. */
export function changeEntry(
  { changesWriter }: Pick<Generation, 'changesWriter'>,
  id: string,
  entry: ChangeEntry,
  revision: number,
): BulkEntry {
  const at = { _index: changesWriter, _id: id, version: revision, version_type: 'external_gte' as const };
  return { action: { index: at }, document: JSON.stringify(entry) };
}

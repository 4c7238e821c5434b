import type { ListingEvent } from '@vitrine/listing-events';
import { yieldingBatches } from './cpu-turns.ts';
import { type Folded, type FoldOptions, foldListing } from './fold-listing.ts';
import type { StoredState } from './store/state-store.ts';

/** Size of the action line of a bulk entry, in bytes. */
const ACTION_BYTES = 200;

/**
 * Folds the events of each listing into its state, and derives its item. Yields groups whose states and items
 * each fit into one bulk request.
 * @param stored listing id -> its stored state
 * @param events listing id -> its events
 * @param onFailure called for a listing whose events cannot be folded
 * @param maxBytes size of a bulk request
 */
export async function* foldGroups(
  options: FoldOptions,
  stored: ReadonlyMap<string, StoredState>,
  events: ReadonlyMap<string, readonly ListingEvent[]>,
  onFailure: (id: string, detail: string) => void,
  maxBytes: () => number,
): AsyncGenerator<Folded[]> {
  let group: Folded[] = [];
  let bytes = 0;
  for await (const batch of yieldingBatches(stored))
    for (const [id, before] of batch) {
      let next: Folded;
      try {
        next = foldListing(options, id, before, events.get(id) ?? []);
      } catch (error) {
        // An error in the pure code must affect only the listing that caused it.
        onFailure(id, `the events could not be folded: ${String(error)}`);
        continue;
      }
      const size = ACTION_BYTES + Math.max(next.json.length, next.item?.length ?? 0);
      if (group.length > 0 && bytes + size > maxBytes()) {
        yield group;
        group = [];
        bytes = 0;
      }
      group.push(next);
      bytes += size;
    }
  if (group.length > 0) yield group;
}

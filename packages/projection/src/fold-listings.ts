import { isDeepStrictEqual } from 'node:util';
import type { ChangeDetails, ItemDocument } from '@vitrine/feed-index';
import {
  deriveSafely,
  describeValue,
  foldNoting,
  type HiddenReason,
  type ListingState,
  type NotedState,
  noteChange,
  type Rules,
} from '@vitrine/listing';
import type { ListingEvent } from '@vitrine/listing-events';
import { yieldingBatches } from './progress/yielding-batches.ts';
import { detailsOf } from './store/change-entries.ts';
import type { EntryPlan, PlannedListing } from './store/changes-store.ts';
import type { NextState, StateDocument, StoredState } from './store/state-store.ts';

export interface Folded extends NextState, PlannedListing {
  hidden?: HiddenReason;
  /** The details of the changes for the listing's entry. They are absent if no entries are written. */
  details?: Partial<ChangeDetails>;
  /** The state to write if the item turns out to be complete. Unlike the state in `json`, it has a note. */
  completeJson?: string;
  /** The events that changed nothing, because the state has higher versions. */
  superseded: readonly ListingEvent[];
}

export interface FoldOptions {
  rules: Rules<ItemDocument>;
  writesItems: boolean;
  /** Whether the caller also needs the item as it was before the events. */
  writesEntries: boolean;
  /**
   * Whether a difference between the items is a change that readers see. While a rebuild writes items for the
   * first time, no difference counts.
   */
  notesChanges: () => boolean;
  /** Returns the current time in epoch milliseconds. */
  now: () => number;
}

/**
 * Folds events into a listing's stored state, and derives its item. Pure.
 * @param events empty for a repair, which writes everything again
 * @throws the errors from the rules
 */
export function foldListing(
  { rules, writesItems, writesEntries, notesChanges, now }: FoldOptions,
  id: string,
  stored: StoredState,
  events: readonly ListingEvent[],
): Folded {
  const { state, superseded } = foldNoting(stored.state, events, now());
  const { hidden, item }: { hidden?: HiddenReason | undefined; item?: ItemDocument } = writesItems
    ? rules.derive(id, state)
    : { hidden: whyHidden(rules, id, state) };
  const isRepair = events.length === 0;
  // If the rules fail only for the stored state, the listing counts as changed.
  const itemBefore = writesEntries && stored.at ? deriveSafely(rules, id, stored.state).item : undefined;
  if (writesItems && writesEntries && !isRepair && notesChanges()) {
    const changes = noteChange(stored.state.changes, itemBefore, item, now());
    if (changes) state.changes = changes;
    // A rebuild notes nothing. Without a note, each repeated removal would cost followers an entry.
    else if (hidden === 'removed' && stored.at) state.changes = { times: { removed: now() } };
  }
  const document: StateDocument = hidden ? { hidden, state } : { state };
  const mayHaveEntry = stored.at !== undefined || isRepair;
  const next = {
    id,
    at: stored.at,
    json: JSON.stringify(document),
    mayHaveEntry,
    superseded,
    revisionBefore: stored.at?.revision,
    // A repair writes everything again.
    notedAt: isRepair ? undefined : lastNote(stored.state),
  };
  if (!writesItems) return { ...next, ...(hidden && { hidden }), wasVisible: false, isSame: false };
  const wasVisible = itemBefore !== undefined;
  const details = writesEntries ? { details: detailsOf(state, item, now()) } : {};
  if (hidden) return { ...next, ...details, hidden, wasVisible, isSame: false };
  // A comparison of the objects ends at the first difference, so it costs less than creating and comparing
  // two strings.
  const isSame = wasVisible && !isRepair && isDeepStrictEqual(itemBefore, item);
  const folded = { ...next, ...details, item: JSON.stringify(item), wasVisible, isSame };
  if (!isSame || state.changes || !notesChanges()) return folded;
  const changes = { times: detailsOf(stored.state, item, now()).times ?? {} };
  return { ...folded, completeJson: JSON.stringify({ state: { ...state, changes } }) };
}

/** Returns the listing to write. If its item is complete, its state gets the note that it lacks. */
export const asPlanned = (folded: Folded, { complete }: EntryPlan): Folded =>
  folded.completeJson !== undefined && complete.has(folded.id)
    ? { ...folded, json: folded.completeJson }
    : folded;

/** The time of the last noted change in epoch milliseconds. */
function lastNote({ changes }: NotedState): number | undefined {
  const times = Object.values(changes?.times ?? {});
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** Without items, each fold of a listing needs only the reason why the listing is hidden. */
const whyHidden = (rules: Rules<ItemDocument>, id: string, state: ListingState): HiddenReason | undefined =>
  rules.hiddenReason ? rules.hiddenReason(state) : rules.derive(id, state).hidden;

/** The size of a bulk entry's action line, in bytes. */
const ACTION_BYTES = 200;

/**
 * Folds the events of each listing into its state, and derives its item. Yields groups of listings. The
 * states of a group fit into one bulk request, and so do its items.
 * @param stored listing id -> its stored state
 * @param events listing id -> its events
 * @param onFailure is called for each listing whose events cannot be folded
 * @param maxBytes the maximum size of a bulk request
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
        // An error in the pure code must affect only the listing with which it occurred.
        onFailure(id, `the events could not be folded: ${describeValue(error)}`);
        continue;
      }
      const size = ACTION_BYTES + Math.max(Buffer.byteLength(next.json), Buffer.byteLength(next.item ?? ''));
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

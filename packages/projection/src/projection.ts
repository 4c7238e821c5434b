import type { Client } from '@elastic/elasticsearch';
import { type Generation, hasDetails, type ItemDocument } from '@vitrine/feed-index';
import type { HiddenReason, Rules } from '@vitrine/listing';
import type { ListingEvent } from '@vitrine/listing-events';
import { CpuTurns } from './cpu-turns.ts';
import type { Folded, FoldOptions } from './fold-listings.ts';
import { asPlanned, foldGroups } from './fold-listings.ts';
import type { BulkOutcome } from './store/bulk-outcome.ts';
import { bulkLimit, writeBulk } from './store/bulk-writer.ts';
import {
  ChangesStore,
  type ChangesStoreOptions,
  type EntryPlan,
  NO_PLAN,
  type WrittenEntry,
} from './store/changes-store.ts';
import { systemClock } from './store/elapsed-time.ts';
import { itemEntry } from './store/item-entry.ts';
import { StateStore } from './store/state-store.ts';
import { fenceFrom } from './write-fence.ts';

/** The result per listing: visible, hidden with a reason, or refused with a description. */
export interface Projected {
  visible: Set<string>;
  hidden: Map<string, HiddenReason>;
  rejected: Map<string, string>;
  /** The entries written to the changes index. An unchanged item has none. */
  entries: Map<string, WrittenEntry>;
  /** The events that changed nothing, because the state has higher versions. */
  superseded: ListingEvent[];
}

/** A listing with a written state, and the version of its state document. */
interface WrittenState {
  folded: Folded;
  revision: number;
}

interface ApplyOptions {
  /** Aborts the requests in progress. After an abort, the caller cannot know which documents were written. */
  signal?: AbortSignal;
  onProgress?: () => void;
}

interface ProjectionOptions {
  client: Client;
  generation: Generation;
  /** The rules, with items in the form of the generation's index. */
  rules: Rules<ItemDocument>;
  /**
   * Whether to write only states. A rebuild that starts with the phase `folding` writes the items after all
   * states are complete.
   */
  statesOnly?: boolean;
  /** The version of the generation's changes index, if it has one. */
  changesMapping: number | undefined;
  /** Whether a new or different item counts as a change for readers. By default, it always does. */
  notesChanges?: (() => boolean) | undefined;
  /** The generation in which followers of the changes continue, if this one is not live. */
  liveMark?: ChangesStoreOptions['liveMark'];
  /** The turns, which the code that decodes the records also uses. */
  cpuTurns?: CpuTurns;
  /** Receives the outcome of each bulk entry. */
  onEntry?: (index: 'states' | 'items' | 'changes', outcome: BulkOutcome) => void;
  /** Returns the current time in epoch milliseconds. Only tests set this option. */
  now?: () => number;
}

/** A typical chunk has at most this many listings, so it takes one read and two bulk requests. */
const LISTINGS_PER_SLICE = 1_500;

/**
 * The store loop of one generation: writes states conditionally, then the items that depend on these states,
 * then the entries in the changes index.
 */
export class Projection {
  readonly #options: ProjectionOptions;
  readonly #foldOptions: FoldOptions;
  readonly #cpuTurns: CpuTurns;
  readonly #states: StateStore;
  readonly #changes: ChangesStore | undefined;

  constructor(options: ProjectionOptions) {
    const { client, generation, rules, statesOnly = false, changesMapping, liveMark, onEntry, now } = options;
    this.#options = options;
    this.#cpuTurns = options.cpuTurns ?? new CpuTurns();
    this.#states = new StateStore(client, generation, (outcome) => onEntry?.('states', outcome));
    const writesEntries = changesMapping !== undefined && !statesOnly;
    this.#foldOptions = {
      rules,
      writesItems: !statesOnly,
      writesEntries,
      notesChanges: options.notesChanges ?? (() => true),
      now: now ?? Date.now,
    };
    if (writesEntries)
      this.#changes = new ChangesStore(client, generation, {
        onEntry: (outcome) => onEntry?.('changes', outcome),
        hasDetails: hasDetails(changesMapping),
        ...(now && { now }),
        ...(liveMark && { liveMark }),
      });
  }

  /**
   * Folds the events of each listing into its state and updates its item, in six steps:
   * 1. Read the stored states of a slice of listings.
   * 2. Fold the events into each state, and derive the item.
   * 3. Write each new state, on the condition that no other writer has changed the stored state.
   * 4. Write or delete the item of each written state, with the state's revision as its version.
   * 5. Write the entry of each written or deleted item, with the same version.
   * 6. Repeat from step 1 for the listings that another writer has changed in the meantime.
   *
   * The caller then writes dead letters and commits the offset. Every item write follows a conditional write
   * of its state, even if an event changes nothing. Therefore a redelivery repairs the effects of a crash.
   * Steps 4 and 5 are omitted for an item that is the same before and after the events, if a read shows that
   * both were completed earlier (docs/guide/changes.md). The call is idempotent.
   * @param events listing id -> its events
   * @throws ElasticsearchUnavailableError. Some listings may already be written. The caller must apply all
   * events again.
   */
  async apply(
    events: ReadonlyMap<string, readonly ListingEvent[]>,
    { signal, onProgress }: ApplyOptions = {},
  ): Promise<Projected> {
    const projected: Projected = {
      visible: new Set(),
      hidden: new Map(),
      rejected: new Map(),
      entries: new Map(),
      superseded: [],
    };
    const ids = [...events.keys()];
    try {
      for (let i = 0; i < ids.length; i += LISTINGS_PER_SLICE)
        for (let pending = ids.slice(i, i + LISTINGS_PER_SLICE); pending.length > 0; ) {
          const finished = new Set<string>();
          // 1. Read.
          const stored = await this.#states.read(pending, signal);
          // 2. Fold and derive, in groups that each fit into one bulk request.
          const groups = foldGroups(
            this.#foldOptions,
            stored,
            events,
            (id, detail) => reject(projected, finished, id, detail),
            () => bulkLimit(this.#options.client),
          );
          const nextGroup = () => this.#cpuTurns.fold(() => groups.next());
          for (let group = await nextGroup(); !group.done; group = await nextGroup()) {
            const plan = (await this.#changes?.plan(group.value, signal)) ?? NO_PLAN;
            // 3., 4. and 5. Write states, then items, then entries.
            const fence = fenceFrom(systemClock());
            const states = group.value.map((folded) => asPlanned(folded, plan));
            const written = await this.#writeStates(states, projected, finished, signal);
            await this.#writeItems(written, plan, projected, finished, fence, signal);
            onProgress?.();
          }
          // 6. Repeat for the listings that another writer has changed in the meantime.
          pending = pending.filter((id) => !finished.has(id));
        }
    } catch (error) {
      this.forget();
      throw error;
    }
    return projected;
  }

  /** Writes states conditionally. @returns the written ones, without those that another writer has changed */
  async #writeStates(
    group: readonly Folded[],
    projected: Projected,
    finished: Set<string>,
    signal: AbortSignal | undefined,
  ): Promise<WrittenState[]> {
    const outcomes = await this.#states.write(group, signal);
    return outcomes.flatMap((result, i) => {
      if (result.outcome === 'done') {
        const folded = group[i] as Folded;
        projected.superseded.push(...folded.superseded);
        return [{ folded, revision: result.revision }];
      }
      if (result.outcome === 'rejected') reject(projected, finished, result.id, result.detail);
      return [];
    });
  }

  async #writeItems(
    written: readonly WrittenState[],
    { complete, withdrawn }: EntryPlan,
    projected: Projected,
    finished: Set<string>,
    fence: () => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { client, generation, statesOnly, onEntry } = this.#options;
    const unfinished = statesOnly ? [] : written.filter(({ folded }) => !complete.has(folded.id));
    const items = unfinished.map(({ folded: { id, item }, revision }) =>
      itemEntry(generation, id, item, revision),
    );
    const results = await writeBulk(client, items, {
      signal,
      onEntry: (outcome) => onEntry?.('items', outcome),
      // The requests after the first one can be late too.
      beforeRequest: fence,
    });
    const stored: WrittenState[] = [];
    for (const [i, one] of unfinished.entries()) {
      const { outcome, item } = results[i] as (typeof results)[number];
      if (outcome === 'rejected')
        reject(projected, finished, one.folded.id, `${item.error?.type}: ${item.error?.reason}`);
      // After a conflict, another writer has written a newer version of the item. That writer may end before
      // it writes the entry. A newer entry wins over this one.
      else stored.push(one);
    }
    const entries = await this.#changes?.write(
      stored
        .filter(({ folded: { id, hidden } }) => !hidden || withdrawn.has(id))
        .map(({ folded: { id, hidden, details }, revision }) => ({
          id,
          details,
          state: hidden ? 'deleted' : 'updated',
          revision,
        })),
      signal,
    );
    for (const [id, entry] of entries ?? []) projected.entries.set(id, entry);
    for (const {
      folded: { id, hidden },
    } of written) {
      if (projected.rejected.has(id)) continue;
      finished.add(id);
      if (hidden) projected.hidden.set(id, hidden);
      else projected.visible.add(id);
    }
  }

  /** Drops the cached states. Call this on each assignment, because another writer may have changed them. */
  forget(): void {
    this.#states.forget();
  }
}

function reject(projected: Projected, finished: Set<string>, id: string, detail: string): void {
  finished.add(id);
  projected.rejected.set(id, detail);
}

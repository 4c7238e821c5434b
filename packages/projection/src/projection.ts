import type { Client } from '@elastic/elasticsearch';
import type { AnyItemDocument, Generation } from '@vitrine/feed-index';
import { fold, type HiddenReason, type ListingState, type Rules } from '@vitrine/listing';
import type { ListingEvent } from '@vitrine/listing-events';
import { CpuTurns, yieldingBatches } from './cpu-turns.ts';
import { FENCE_HOLDS_MS } from './limits.ts';
import type { BulkOutcome } from './store/bulk-outcome.ts';
import { MAX_BULK_BYTES, writeBulk } from './store/bulk-writer.ts';
import { elapsed, systemClock } from './store/elapsed-time.ts';
import { ElasticsearchUnavailableError } from './store/elasticsearch-unavailable.ts';
import { itemEntry } from './store/item-entry.ts';
import type { StateDocument } from './store/state-document.ts';
import { type NextState, StateStore, type StoredState } from './store/state-store.ts';

/** The result per listing: visible, hidden with a reason, or refused with a description. */
export interface Projected {
  visible: Set<string>;
  hidden: Map<string, HiddenReason>;
  rejected: Map<string, string>;
}

interface Folded extends NextState {
  hidden?: HiddenReason;
  /** The item document as JSON. Absent if the listing is hidden. */
  item?: string;
}

/** A listing with a written state, and the version of its state document. */
interface WrittenState {
  folded: Folded;
  revision: number;
}

export interface ApplyOptions {
  /** Aborts the requests in progress. After an abort, the caller cannot know which documents were written. */
  signal?: AbortSignal;
  /** Called after each write. */
  onProgress?: () => void;
}

export interface ProjectionOptions {
  client: Client;
  generation: Generation;
  /** The rules, with items in the form of the generation's index. */
  rules: Rules<AnyItemDocument>;
  /**
   * Writes only states. A rebuild that starts with the phase `folding` writes the items after all states are
   * complete.
   */
  statesOnly?: boolean;
  /** Shared with the code that decodes the records. */
  cpuTurns?: CpuTurns;
  /** Receives the outcome of each bulk entry. */
  onEntry?: (index: 'states' | 'items', outcome: BulkOutcome) => void;
}

/** The listings of a usual chunk, so that a chunk takes one read and two bulk requests. */
const LISTINGS_PER_SLICE = 1_500;

/**
 * The store loop of one generation: writes states conditionally, then the items that depend on these states.
 */
export class Projection {
  readonly #client: Client;
  readonly #generation: Generation;
  readonly #rules: Rules<AnyItemDocument>;
  readonly #statesOnly: boolean;
  readonly #cpuTurns: CpuTurns;
  readonly #onEntry: ProjectionOptions['onEntry'];
  readonly #states: StateStore;

  constructor({
    client,
    generation,
    rules,
    statesOnly = false,
    cpuTurns = new CpuTurns(),
    onEntry,
  }: ProjectionOptions) {
    this.#client = client;
    this.#generation = generation;
    this.#rules = rules;
    this.#statesOnly = statesOnly;
    this.#cpuTurns = cpuTurns;
    this.#onEntry = onEntry;
    this.#states = new StateStore(client, generation, {
      onEntry: (outcome) => onEntry?.('states', outcome),
    });
  }

  /**
   * Folds the events of each listing into its state and updates its item, in five steps:
   * 1. Read the stored states of a slice of listings.
   * 2. Fold the events into each state, and derive the item.
   * 3. Write each new state, on the condition that no other writer has changed the stored state.
   * 4. Write or delete the item of each written state, with the state's revision as its version.
   * 5. Repeat from step 1 for the listings that another writer has changed meanwhile.
   *
   * The caller then writes dead letters and commits the offset. Every item write follows a conditional write
   * of its state, even if an event changes nothing. Therefore a redelivery repairs the effects of a crash.
   * The call is idempotent.
   * @param events listing id -> its events
   * @throws ElasticsearchUnavailableError. Some listings may already be written. The caller must apply all
   * events again.
   */
  async apply(
    events: ReadonlyMap<string, readonly ListingEvent[]>,
    { signal, onProgress }: ApplyOptions = {},
  ): Promise<Projected> {
    const projected: Projected = { visible: new Set(), hidden: new Map(), rejected: new Map() };
    const ids = [...events.keys()];
    try {
      for (let i = 0; i < ids.length; i += LISTINGS_PER_SLICE)
        for (let pending = ids.slice(i, i + LISTINGS_PER_SLICE); pending.length > 0; ) {
          const finished = new Set<string>();
          // 1. Read.
          const stored = await this.#states.read(pending, signal);
          // 2. Fold and derive, in groups that each fit into one bulk request.
          const groups = this.#foldAll(stored, events, projected, finished);
          const nextGroup = () => this.#cpuTurns.fold(() => groups.next());
          for (let group = await nextGroup(); !group.done; group = await nextGroup()) {
            // 3. and 4. Write states, then items.
            const written = await this.#writeStates(group.value, projected, finished, signal);
            await this.#writeItems(written, projected, finished, signal);
            onProgress?.();
          }
          // 5. Repeat for the listings that another writer has changed meanwhile.
          pending = pending.filter((id) => !finished.has(id));
        }
    } catch (error) {
      this.forget();
      throw error;
    }
    return projected;
  }

  /**
   * Folds the events into the states, and derives the items. Yields groups whose states and items each fit
   * into one bulk request.
   */
  async *#foldAll(
    stored: ReadonlyMap<string, StoredState>,
    events: ReadonlyMap<string, readonly ListingEvent[]>,
    projected: Projected,
    finished: Set<string>,
  ): AsyncGenerator<Folded[]> {
    let group: Folded[] = [];
    let bytes = 0;
    for await (const batch of yieldingBatches(stored))
      for (const [id, before] of batch) {
        let next: Folded;
        try {
          next = this.#foldOne(id, before, events.get(id) ?? []);
        } catch (error) {
          // An error in the pure code must affect only the listing that caused it.
          reject(projected, finished, id, `the events could not be folded: ${String(error)}`);
          continue;
        }
        const size = 200 + Math.max(next.json.length, next.item?.length ?? 0);
        if (group.length > 0 && bytes + size > MAX_BULK_BYTES) {
          yield group;
          group = [];
          bytes = 0;
        }
        group.push(next);
        bytes += size;
      }
    if (group.length > 0) yield group;
  }

  /**
   * Writes states conditionally. @returns the written states, without those that another writer has changed
   */
  async #writeStates(
    group: readonly Folded[],
    projected: Projected,
    finished: Set<string>,
    signal: AbortSignal | undefined,
  ): Promise<WrittenState[]> {
    const startedAt = systemClock();
    const outcomes = await this.#states.write(group, signal);
    if (elapsed(startedAt, systemClock()) > FENCE_HOLDS_MS)
      throw new ElasticsearchUnavailableError(
        'the process was suspended between the writes of a state and its item',
      );
    return outcomes.flatMap((result, i) => {
      if (result.outcome === 'done') return [{ folded: group[i] as Folded, revision: result.revision }];
      if (result.outcome === 'rejected') reject(projected, finished, result.id, result.detail);
      return [];
    });
  }

  /** Writes or deletes the items of written states. */
  async #writeItems(
    written: readonly WrittenState[],
    projected: Projected,
    finished: Set<string>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const finish = ({ id, hidden }: Folded) => {
      finished.add(id);
      if (hidden) projected.hidden.set(id, hidden);
      else projected.visible.add(id);
    };
    if (this.#statesOnly) {
      for (const { folded } of written) finish(folded);
      return;
    }
    const entries = written.map(({ folded: { id, item }, revision }) =>
      itemEntry(this.#generation, id, item, revision),
    );
    const results = await writeBulk(this.#client, entries, signal, (outcome) =>
      this.#onEntry?.('items', outcome),
    );
    for (const [i, { folded }] of written.entries()) {
      const { outcome, item } = results[i] as (typeof results)[number];
      // After a conflict there is nothing to do: another writer has written a newer version of the item.
      if (outcome === 'rejected')
        reject(projected, finished, folded.id, `${item.error?.type}: ${item.error?.reason}`);
      else finish(folded);
    }
  }

  #foldOne(id: string, stored: StoredState, events: readonly ListingEvent[]): Folded {
    const state = fold(stored.state, events);
    const { hidden, item } = this.#derive(id, state);
    const document: StateDocument = hidden ? { hidden, state } : { state };
    const next = { id, at: stored.at, json: JSON.stringify(document) };
    if (hidden) return { ...next, hidden };
    return this.#statesOnly ? next : { ...next, item: JSON.stringify(item) };
  }

  /** Without items, each fold of a listing needs only the reason why the listing is hidden. */
  #derive(id: string, state: ListingState): { hidden?: HiddenReason | undefined; item?: AnyItemDocument } {
    const { hiddenReason } = this.#rules;
    if (this.#statesOnly && hiddenReason) return { hidden: hiddenReason(state) };
    return this.#rules.derive(id, state);
  }

  /** Drops the cached states. Called on each assignment, because another writer may have changed them. */
  forget(): void {
    this.#states.forget();
  }
}

function reject(projected: Projected, finished: Set<string>, id: string, detail: string): void {
  finished.add(id);
  projected.rejected.set(id, detail);
}

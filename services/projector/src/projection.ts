import type { Client } from '@elastic/elasticsearch';
import type { Generation } from '@vitrine/feed-index';
import type { ListingEvent } from '@vitrine/listing-events';
import type { BulkOutcome } from './bulk-outcome.ts';
import { MAX_BULK_BYTES, SystemTrouble, writeBulk } from './bulk-writer.ts';
import { elapsed, systemClock } from './elapsed-time.ts';
import type { HiddenReason, Rules } from './feed-item.ts';
import { fold } from './fold.ts';
import { itemEntry } from './item-entry.ts';
import { inStretches, Preparation } from './preparation.ts';
import type { StateDocument } from './state-document.ts';
import { type HeldState, type NextState, StateStore } from './state-store.ts';

/** What became of the events: per listing, its place in or outside the feed; or why it was refused. */
export interface Projected {
  visible: Set<string>;
  hidden: Map<string, HiddenReason>;
  refused: Map<string, string>;
}

interface Folded extends NextState {
  hidden?: HiddenReason;
  /** The item document's JSON; absent while the listing is hidden. */
  item?: string;
}

export interface ApplyOptions {
  /** Ends what is under way; it is then unknown what was written. */
  signal?: AbortSignal;
  /** Something was finished. */
  onProgress?: () => void;
}

/**
 * Longest time between the start of a fenced state write and the item write that rests on it. A
 * process that slept longer (stopped, swapped, its machine suspended) may have been replaced, and
 * Elasticsearch forgets deletions in time: what it was about to write counts for nothing.
 */
const FENCE_HOLDS_MS = 30_000;

export interface ProjectionOptions {
  client: Client;
  generation: Generation;
  rules: Rules;
  /** While a generation is folded from the beginning, its items wait until their states are whole. */
  statesOnly?: boolean;
  /** Whether most listings will be new to the generation: see `StateStore`. */
  guessNew?: boolean;
  /** Shared with whoever decodes what is applied. */
  preparation?: Preparation;
  /** Told of what became of each entry of a bulk request. */
  onEntry?: (index: 'states' | 'items', outcome: BulkOutcome) => void;
}

const LISTINGS_A_SLICE = 1_000;

/** The store loop of one generation: states behind a fence, then the items that follow from them. */
export class Projection {
  readonly #client: Client;
  readonly #generation: Generation;
  readonly #rules: Rules;
  readonly #statesOnly: boolean;
  readonly #preparation: Preparation;
  readonly #onEntry: ProjectionOptions['onEntry'];
  readonly #states: StateStore;

  constructor({ client, generation, rules, statesOnly = false, guessNew = false, preparation = new Preparation(), onEntry }: ProjectionOptions) {
    this.#client = client;
    this.#generation = generation;
    this.#rules = rules;
    this.#statesOnly = statesOnly;
    this.#preparation = preparation;
    this.#onEntry = onEntry;
    this.#states = new StateStore(client, generation, { guessNew, onEntry: (outcome) => onEntry?.('states', outcome) });
  }

  /**
   * Folds each listing's events into its state and brings its item in line. Every item write, also
   * for events that change nothing, follows a fenced write of its state: so a redelivery repairs
   * whatever a crash left behind. Applying events twice does no harm.
   * @param events listing id -> its events
   * @throws SystemTrouble; part may then be written, and the whole can be applied again.
   */
  async apply(events: ReadonlyMap<string, readonly ListingEvent[]>, { signal, onProgress }: ApplyOptions = {}): Promise<Projected> {
    const projected: Projected = { visible: new Set(), hidden: new Map(), refused: new Map() };
    const ids = [...events.keys()];
    try {
      for (let i = 0; i < ids.length; i += LISTINGS_A_SLICE)
        for (let pending = ids.slice(i, i + LISTINGS_A_SLICE); pending.length > 0; ) {
          const finished = new Set<string>();
          const groups = this.#folded(await this.#states.read(pending, signal), events, projected, finished);
          const next = () => this.#preparation.fold(() => groups.next());
          for (let group = await next(); !group.done; group = await next()) {
            await this.#write(group.value, projected, finished, signal);
            onProgress?.();
          }
          pending = pending.filter((id) => !finished.has(id));
        }
    } catch (error) {
      this.forget();
      throw error;
    }
    return projected;
  }

  /** Folds and derives, in groups of which neither the states nor the items are more than one bulk request. */
  async *#folded(
    held: ReadonlyMap<string, HeldState>,
    events: ReadonlyMap<string, readonly ListingEvent[]>,
    projected: Projected,
    finished: Set<string>,
  ): AsyncGenerator<Folded[]> {
    let group: Folded[] = [];
    let bytes = 0;
    for await (const stretch of inStretches(held))
      for (const [id, before] of stretch) {
        let next: Folded;
        try {
          next = this.#foldOne(id, before, events.get(id) ?? []);
        } catch (error) {
          // Whatever a record can bring the pure code to do, it must not stop its neighbours.
          finished.add(id);
          projected.refused.set(id, `could not be folded: ${String(error)}`);
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

  /** States behind their fences, then the items of those that were written. */
  async #write(group: readonly Folded[], projected: Projected, finished: Set<string>, signal: AbortSignal | undefined): Promise<void> {
    const refuse = (id: string, why: string) => {
      finished.add(id);
      projected.refused.set(id, why);
    };
    const fencedAt = systemClock();
    const written = await this.#states.write(group, signal);
    if (elapsed(fencedAt, systemClock()) > FENCE_HOLDS_MS) throw new SystemTrouble('this process slept between a state and its item');
    const items: { folded: Folded; revision: number }[] = [];
    for (const [i, answer] of written.entries()) {
      if (answer.outcome === 'record') refuse(answer.id, answer.detail);
      if (answer.outcome === 'done') items.push({ folded: group[i] as Folded, revision: answer.revision });
    }
    const done = ({ id, hidden }: Folded) => {
      finished.add(id);
      if (hidden) projected.hidden.set(id, hidden);
      else projected.visible.add(id);
    };
    if (this.#statesOnly) for (const { folded } of items) done(folded);
    if (this.#statesOnly) return;
    const entries = items.map(({ folded: { id, item }, revision }) => itemEntry(this.#generation, id, item, revision));
    const results = await writeBulk(this.#client, entries, signal, (outcome) => this.#onEntry?.('items', outcome));
    for (const [i, { folded }] of items.entries()) {
      const { outcome, item } = results[i] as (typeof results)[number];
      // A conflict is a newer writer's item: ours was overtaken, and is done.
      if (outcome === 'record') refuse(folded.id, `${item.error?.type}: ${item.error?.reason}`);
      else done(folded);
    }
  }

  #foldOne(id: string, held: HeldState, events: readonly ListingEvent[]): Folded {
    const state = fold(held.state, events);
    const { hidden, item } = this.#rules.derive(id, state);
    const document: StateDocument = hidden ? { hidden, state } : { state };
    const next = { id, at: held.at, json: JSON.stringify(document) };
    if (hidden) return { ...next, hidden };
    return this.#statesOnly ? next : { ...next, item: JSON.stringify(item) };
  }

  /** To be called when partitions come and go: another writer may have these states now. */
  forget(): void {
    this.#states.forget();
  }
}

import type { Client } from '@elastic/elasticsearch';
import type { Generation } from '@vitrine/feed-index';
import type { ListingEvent } from '@vitrine/listing-events';
import { type BulkEntry, writeBulk } from './bulk-writer.ts';
import { type Derived, deriveItem, type HiddenReason } from './feed-item.ts';
import { fold } from './fold.ts';
import { type NextState, StateStore } from './state-store.ts';

/** What became of the events: per listing, its place in or outside the feed; or why it was refused. */
export interface Projected {
  visible: Set<string>;
  hidden: Map<string, HiddenReason>;
  refused: Map<string, string>;
}

interface Folded extends NextState {
  derived: Derived;
}

interface WrittenItem {
  id: string;
  derived: Derived;
  revision: number;
}

/**
 * Longest time between the start of a fenced state write and the item write that rests on it. A
 * process that slept longer (stopped, swapped, its machine suspended) may have been replaced, and
 * Elasticsearch forgets deletions in time: what it was about to write counts for nothing.
 */
const FENCE_HOLDS_MS = 30_000;

/** The store loop of one generation: states behind a fence, then the items that follow from them. */
export class Projection {
  readonly #client: Client;
  readonly #generation: Generation;
  readonly #states: StateStore;

  constructor(client: Client, generation: Generation) {
    this.#client = client;
    this.#generation = generation;
    this.#states = new StateStore(client, generation);
  }

  /**
   * Folds each listing's events into its state and brings its item in line. Every item write, also
   * for events that change nothing, follows a fenced write of its state: so a redelivery repairs
   * whatever a crash left behind. Applying events twice does no harm.
   * @param events listing id -> its events
   * @throws SystemTrouble; part may then be written, and the whole can be applied again.
   */
  async apply(events: ReadonlyMap<string, readonly ListingEvent[]>): Promise<Projected> {
    const projected: Projected = { visible: new Set(), hidden: new Map(), refused: new Map() };
    let pending = [...events.keys()];
    try {
      while (pending.length > 0) {
        const finished = await this.#pass(pending, events, projected);
        pending = pending.filter((id) => !finished.has(id));
      }
    } catch (error) {
      this.forget();
      throw error;
    }
    return projected;
  }

  /** One pass over the first of the ids; returns those that need no other. */
  async #pass(ids: readonly string[], events: ReadonlyMap<string, readonly ListingEvent[]>, projected: Projected): Promise<Set<string>> {
    const finished = new Set<string>();
    const refuse = (id: string, why: string) => {
      finished.add(id);
      projected.refused.set(id, why);
    };
    const folded: Folded[] = [];
    for (const [id, held] of await this.#states.read(ids)) {
      try {
        const state = fold(held.state, events.get(id) ?? []);
        const derived = deriveItem(id, state);
        folded.push({ id, held, derived, document: derived.hidden ? { hidden: derived.hidden, state } : { state } });
      } catch (error) {
        // Whatever a record can bring the pure code to do, it must not stop its neighbours.
        refuse(id, `could not be folded: ${String(error)}`);
      }
    }

    const fencedAt = Date.now();
    const written = await this.#states.write(folded);
    if (Date.now() - fencedAt > FENCE_HOLDS_MS) {
      this.forget();
      return finished;
    }
    const items: WrittenItem[] = [];
    for (const [i, answer] of written.entries()) {
      if (answer.outcome === 'record') refuse(answer.id, answer.detail);
      if (answer.outcome === 'done') items.push({ id: answer.id, derived: (folded[i] as Folded).derived, revision: answer.revision });
    }

    const results = await writeBulk(
      this.#client,
      items.map((item) => this.#itemEntry(item)),
    );
    for (const [i, { id, derived }] of items.entries()) {
      const { outcome, item } = results[i] as (typeof results)[number];
      // A conflict is a newer writer's item: ours was overtaken, and is done.
      if (outcome === 'record') refuse(id, `${item.error?.type}: ${item.error?.reason}`);
      else {
        finished.add(id);
        if (derived.hidden) projected.hidden.set(id, derived.hidden);
        else projected.visible.add(id);
      }
    }
    return finished;
  }

  /** An item's write or deletion, ordered by its state's revision. */
  #itemEntry({ id, derived, revision }: WrittenItem): BulkEntry {
    const at = { _index: this.#generation.itemsWriter, _id: id, version: revision, version_type: 'external_gte' as const };
    return derived.hidden ? { action: { delete: at } } : { action: { index: at }, document: JSON.stringify(derived.item) };
  }

  /** To be called when partitions come and go: another writer may have these states now. */
  forget(): void {
    this.#states.forget();
  }
}

import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import type { Generation } from '@vitrine/feed-index';
import { LRUCache } from 'lru-cache';
import type { BulkOutcome } from './bulk-outcome.ts';
import { type BulkEntry, SystemTrouble, writeBulk } from './bulk-writer.ts';
import { EMPTY_STATE, type ListingState } from './listing-state.ts';
import type { StateDocument } from './state-document.ts';

/** A state as it is stored: where `at` is absent, no document exists yet. */
export interface HeldState {
  state: ListingState;
  at?: { seqNo: number; primaryTerm: number };
}

/** A state to write over the held one that it was folded from. */
export interface NextState {
  id: string;
  /** Where the held one is. */
  at?: HeldState['at'];
  /** The state document's JSON. */
  json: string;
}

/** What is remembered of a state: its text, since thousands of object graphs that live for a while are what garbage collection costs most for. */
interface CachedState {
  json: string;
  at: NonNullable<HeldState['at']>;
}

/** `revision` orders the writes of one listing: the state document's version, which only grows. */
export type StateWritten =
  | { id: string; outcome: 'done'; revision: number }
  | { id: string; outcome: 'conflict' }
  | { id: string; outcome: 'record'; detail: string };

const MAX_CACHE_BYTES = 32 * 1024 * 1024;
/** Of a state in the cache, besides its text. */
const BYTES_AN_ENTRY = 500;
/** At most: text beyond Latin-1. */
const BYTES_A_CHARACTER = 2;
const MAX_READ_BYTES = 8 * 1024 * 1024;

/**
 * Where more of the guesses than this are wrong, asking first is cheaper; so many more are let pass, since what a
 * writer before did not come to commit is met at once at the start.
 */
const MAX_WRONG_GUESSES = 0.1;
const LET_PASS = 10_000;
/** No more writes than this count, so that what is remembered of wrong guesses stays bounded. */
const MOST_COUNTED = 2_000_000;

export interface StateStoreOptions {
  /** Whether a listing that was not met is taken for new instead of asked for, as long as that is mostly right: its fence says when it is not. */
  guessNew?: boolean;
  /** Told of what became of each state that was written. */
  onEntry?: (outcome: BulkOutcome) => void;
}

/** Reads and fences the states of one generation. What it caches is only a hint: a write proves it. */
export class StateStore {
  readonly #client: Client;
  readonly #generation: Generation;
  readonly #onEntry: ((outcome: BulkOutcome) => void) | undefined;
  readonly #cache = new LRUCache<string, CachedState>({ maxSize: MAX_CACHE_BYTES });
  #guessNew: boolean;
  /** Guessed to be new, and found to exist. */
  readonly #known = new Set<string>();
  #written = 0;

  constructor(client: Client, generation: Generation, { guessNew = false, onEntry }: StateStoreOptions = {}) {
    this.#client = client;
    this.#generation = generation;
    this.#guessNew = guessNew;
    this.#onEntry = onEntry;
  }

  /**
   * The states of these ids, or of as many as fit in memory and at least one: from the cache, by a guess,
   * or from Elasticsearch (in real time, so that no refresh stands between).
   * @throws SystemTrouble
   */
  async read(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, HeldState>> {
    const found = new Map<string, HeldState>();
    for (const id of ids) {
      const cached = this.#cache.get(id);
      if (cached) found.set(id, { state: (JSON.parse(cached.json) as StateDocument).state, at: cached.at });
      else if (this.#guessNew && !this.#known.has(id)) found.set(id, { state: EMPTY_STATE });
    }
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) for (const [id, held] of await this.#fetch(missing, signal)) found.set(id, held);
    return found;
  }

  async #fetch(ids: string[], signal: AbortSignal | undefined): Promise<[string, HeldState][]> {
    const limit = ids.length > 1 ? { maxResponseSize: MAX_READ_BYTES, maxCompressedResponseSize: MAX_READ_BYTES } : {};
    const options = signal ? { ...limit, signal } : limit;
    try {
      const { docs } = await this.#client.mget<StateDocument>({ index: this.#generation.statesWriter, ids }, options);
      return docs.map(toHeld);
    } catch (error) {
      // States of a hostile size: fewer at a time. One alone always fits, its parts being bounded.
      if (error instanceof errors.RequestAbortedError && !signal?.aborted && ids.length > 1)
        return this.#fetch(ids.slice(0, Math.ceil(ids.length / 2)), signal);
      throw new SystemTrouble(`states could not be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }

  /**
   * Writes each state, with one request, if nobody wrote it since it was read.
   * @returns one outcome a state, in order; after `conflict` the next read asks Elasticsearch.
   * @throws SystemTrouble; it is then unknown which were written.
   */
  async write(states: readonly NextState[], signal?: AbortSignal): Promise<StateWritten[]> {
    const index = this.#generation.statesWriter;
    const entries = states.map(({ id, at, json }): BulkEntry => {
      const fence = at
        ? { index: { _index: index, _id: id, if_seq_no: at.seqNo, if_primary_term: at.primaryTerm } }
        : { create: { _index: index, _id: id } };
      return { action: fence, document: json };
    });
    for (const { id } of states) this.#cache.delete(id);
    const results = await writeBulk(this.#client, entries, signal, this.#onEntry);
    if (this.#guessNew)
      this.#judgeGuesses(
        states.filter((_, i) => results[i]?.outcome === 'conflict'),
        states.length,
      );
    return states.map(({ id, json }, i): StateWritten => {
      const { outcome, item } = results[i] as (typeof results)[number];
      if (outcome === 'conflict') return { id, outcome };
      if (outcome === 'record') return { id, outcome, detail: `${item.error?.type}: ${item.error?.reason}` };
      const at = { seqNo: item._seq_no as number, primaryTerm: item._primary_term as number };
      this.#cache.set(id, { json, at }, { size: BYTES_A_CHARACTER * json.length + BYTES_AN_ENTRY });
      return { id, outcome, revision: item._version as number };
    });
  }

  #judgeGuesses(conflicts: readonly NextState[], written: number): void {
    for (const { id, at } of conflicts) if (!at) this.#known.add(id);
    this.#written += written;
    if (this.#known.size <= LET_PASS + MAX_WRONG_GUESSES * Math.min(this.#written, MOST_COUNTED)) return;
    this.#guessNew = false;
    this.#known.clear();
  }

  /** Forgets what it knows of all states: another writer may have them now. */
  forget(): void {
    this.#cache.clear();
  }
}

function toHeld(doc: estypes.MgetResponseItem<StateDocument>): [string, HeldState] {
  if ('error' in doc) throw new Error(`state ${doc._id}: ${doc.error.type}`);
  if (!doc.found) return [doc._id, { state: EMPTY_STATE }];
  return [doc._id, { state: doc._source?.state as ListingState, at: { seqNo: doc._seq_no as number, primaryTerm: doc._primary_term as number } }];
}

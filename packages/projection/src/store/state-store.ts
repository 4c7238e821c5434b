import { type Client, errors, type estypes } from '@elastic/elasticsearch';
import { type Generation, requiredSettings } from '@vitrine/feed-index';
import { EMPTY_STATE, type HiddenReason, type NotedState } from '@vitrine/listing';
import { failureReason } from '@vitrine/runtime/elasticsearch';
import { LRUCache } from 'lru-cache';
import type { BulkOutcome } from './bulk-outcome.ts';
import { type BulkEntry, writeBulk } from './bulk-writer.ts';
import { ElasticsearchUnavailableError, isTooLarge } from './elasticsearch-unavailable.ts';

/**
 * The stored state of one listing. Incomplete and removed listings have a state too. The projector never
 * deletes a state.
 */
export interface StateDocument {
  /**
   * The reason why the listing is hidden. The member is indexed, so that searches can count the reasons. It
   * is absent if the listing is visible.
   */
  hidden?: HiddenReason;
  state: NotedState;
}

/**
 * Increment this version if the code can no longer read the states that older code wrote. An increment makes
 * a replay necessary.
 */
export const STATE_MAPPING_VERSION = 1;

const properties: Record<keyof StateDocument, estypes.MappingProperty> = {
  hidden: { type: 'keyword' },
  state: { type: 'object', enabled: false },
};

/**
 * The settings and the mapping of a states index. Other code reads states by id or scans them, so only
 * `hidden` is searchable.
 */
export function statesIndexBody(): {
  settings: estypes.IndicesIndexSettings;
  mappings: estypes.MappingTypeMapping;
} {
  return {
    settings: { number_of_shards: 1, auto_expand_replicas: '0-1', ...requiredSettings('states') },
    mappings: {
      dynamic: 'strict',
      _meta: { mapping_version: STATE_MAPPING_VERSION },
      properties,
    },
  };
}

/** A stored state. `at` is absent if no document exists yet. `revision` is the version of the document. */
export interface StoredState {
  state: NotedState;
  at?: { seqNo: number; primaryTerm: number; revision: number };
}

/** A state that replaces the stored state from which it was folded. */
export interface NextState {
  id: string;
  at?: StoredState['at'];
  json: string;
}

/**
 * A cached state. It is a string, because many long-lived object graphs make garbage collection expensive.
 */
interface CachedState {
  json: string;
  at: NonNullable<StoredState['at']>;
}

/**
 * `revision` is the version of the state document. This version only increases, so it orders the writes for
 * one listing.
 */
type StateWritten =
  | { id: string; outcome: 'done'; revision: number }
  | { id: string; outcome: 'conflict' }
  | { id: string; outcome: 'rejected'; detail: string };

const MAX_CACHE_BYTES = 16 * 1024 * 1024;
/** The overhead of a cache entry, in addition to its string. */
const BYTES_PER_ENTRY = 500;
/** The size in the worst case, which is a UTF-16 string. */
const BYTES_PER_CHARACTER = 2;
const MAX_READ_BYTES = 8 * 1024 * 1024;

/**
 * Reads and conditionally writes the states of one generation. The cache may be outdated, but a conditional
 * write detects this.
 */
export class StateStore {
  readonly #client: Client;
  readonly #generation: Generation;
  readonly #onEntry: ((outcome: BulkOutcome) => void) | undefined;
  readonly #cache = new LRUCache<string, CachedState>({ maxSize: MAX_CACHE_BYTES });

  /** @param onEntry receives the outcome of each state write */
  constructor(client: Client, generation: Generation, onEntry?: (outcome: BulkOutcome) => void) {
    this.#client = client;
    this.#generation = generation;
    this.#onEntry = onEntry;
  }

  /**
   * Reads the states of these ids, or of at least one id if not all states fit in memory. Each state comes
   * from the cache or from Elasticsearch (in real time, independent of refreshes).
   * @throws ElasticsearchUnavailableError
   */
  async read(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, StoredState>> {
    const found = new Map<string, StoredState>();
    for (const id of ids) {
      const cached = this.#cache.get(id);
      if (cached) found.set(id, { state: (JSON.parse(cached.json) as StateDocument).state, at: cached.at });
    }
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0)
      for (const [id, stored] of await this.#fetch(missing, signal)) found.set(id, stored);
    return found;
  }

  async #fetch(ids: string[], signal: AbortSignal | undefined): Promise<[string, StoredState][]> {
    const limit =
      ids.length > 1 ? { maxResponseSize: MAX_READ_BYTES, maxCompressedResponseSize: MAX_READ_BYTES } : {};
    const options = signal ? { ...limit, signal } : limit;
    try {
      const { docs } = await this.#client.mget<StateDocument>(
        { index: this.#generation.statesWriter, ids },
        options,
      );
      return docs.map(toStoredState);
    } catch (error) {
      // The states or the ids are unusually long, so the store reads fewer states per request. A single state
      // always fits, because the size of a state is limited.
      const isLarge = isTooLarge(error) || (error instanceof errors.RequestAbortedError && !signal?.aborted);
      if (isLarge && ids.length > 1) return this.#fetch(ids.slice(0, Math.ceil(ids.length / 2)), signal);
      throw new ElasticsearchUnavailableError(`could not read states: ${failureReason(error)}`, {
        cause: error,
      });
    }
  }

  /**
   * Writes the states in one request, each on the condition that no other writer has changed the stored state
   * since it was read.
   * @returns one outcome per state, in order. After `conflict`, the next read bypasses the cache.
   * @throws ElasticsearchUnavailableError. The caller then cannot know which states were written.
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
    const results = await writeBulk(this.#client, entries, { signal, onEntry: this.#onEntry });
    return states.map(({ id, json }, i): StateWritten => {
      const { outcome, item } = results[i] as (typeof results)[number];
      if (outcome === 'conflict') return { id, outcome };
      if (outcome === 'rejected')
        return { id, outcome, detail: `${item.error?.type}: ${item.error?.reason}` };
      const at = placeOf(item);
      this.#cache.set(id, { json, at }, { size: BYTES_PER_CHARACTER * json.length + BYTES_PER_ENTRY });
      return { id, outcome, revision: at.revision };
    });
  }

  /** Clears the cache, because another writer may have changed the states. */
  forget(): void {
    this.#cache.clear();
  }
}

function toStoredState(doc: estypes.MgetResponseItem<StateDocument>): [string, StoredState] {
  if ('error' in doc) throw new Error(`could not read the state of ${doc._id}: ${doc.error.type}`);
  if (!doc.found) return [doc._id, { state: EMPTY_STATE }];
  return [
    doc._id,
    {
      state: doc._source?.state as NotedState,
      at: placeOf(doc),
    },
  ];
}

/** Returns the position, in the order of writes, of a document that was written or read. */
const placeOf = ({
  _seq_no,
  _primary_term,
  _version,
}: Pick<estypes.GetGetResult, '_seq_no' | '_primary_term' | '_version'>): NonNullable<StoredState['at']> => ({
  seqNo: _seq_no as number,
  primaryTerm: _primary_term as number,
  revision: _version as number,
});

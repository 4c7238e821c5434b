import { type Client, errors } from '@elastic/elasticsearch';
import type { ChangeDetails, ChangeEntry, ChangeState, Generation } from '@vitrine/feed-index';
import { failureReason } from '@vitrine/runtime/elasticsearch';
import type { BulkOutcome } from './bulk-outcome.ts';
import { writeBulk } from './bulk-writer.ts';
import { changeEntry, liftEntries } from './change-entries.ts';
import { ElasticsearchUnavailableError } from './elasticsearch-unavailable.ts';
import { readExisting, type StoredDocument } from './index-requests.ts';

/**
 * An entry younger than this number of milliseconds may be missing on an in-sync copy, because Elasticsearch
 * may not have acknowledged its write yet. Every request from the projector ends within this time.
 */
const SETTLED_AFTER_MS = 60_000;

/**
 * For this number of milliseconds after a listing has changed, Elasticsearch may still execute an item write
 * with other content. Later writes are a risk that docs/decisions/0002-fences-and-revisions.md names.
 */
const LATE_WRITE_WITHIN_MS = 15 * 60_000;

export interface PlannedListing {
  id: string;
  /**
   * Whether the listing has a state. A listing without a state was never in the feed, unless it is being
   * repaired.
   */
  mayHaveEntry: boolean;
  wasVisible: boolean;
  /** The derived item document as JSON. It is absent if the listing is hidden. */
  item?: string;
  /** Whether the stored state yields the same item. If it does, the item may need no write. */
  isSame: boolean;
  /** The revision of the stored state. It is absent if there is no state. */
  revisionBefore?: number | undefined;
  /** The time of the listing's last noted change, in epoch milliseconds. It is absent without notes. */
  notedAt?: number | undefined;
}

/**
 * The listings that need no entry, and those that need a `deleted` entry. A read finds them before the states
 * are written.
 */
export interface EntryPlan {
  /** The listings whose items and entries are already complete. */
  complete: ReadonlySet<string>;
  /** The hidden listings that were in the feed. */
  withdrawn: ReadonlySet<string>;
}

export const NO_PLAN: EntryPlan = { complete: new Set(), withdrawn: new Set() };

/** A listing whose item has been written or deleted at a revision. */
interface ChangedListing {
  id: string;
  state: ChangeState;
  revision: number;
  details?: Partial<ChangeDetails> | undefined;
}

/** An entry that Elasticsearch has acknowledged. */
export interface WrittenEntry {
  state: ChangeState;
  sequence: number;
}

type Stored<D> = ReadonlyMap<string, StoredDocument<D>>;

export interface ChangesStoreOptions {
  onEntry?: (outcome: BulkOutcome) => void;
  /** Whether the index's mapping has fields for the details of entries. */
  hasDetails?: boolean;
  /** Returns the current time in epoch milliseconds. */
  now?: () => number;
  /** The generation in which followers continue, if this one is not live. */
  liveMark?: (signal: AbortSignal | undefined) => Promise<LiveMark | undefined>;
}

/** The live generation, if it is another generation, and the sequence number at which followers enter it. */
export interface LiveMark {
  generation: Generation;
  /** Followers that come from another generation receive the entries above this number. */
  entry: number;
}

/**
 * Reads and writes the entries of one generation. Writing them is the third step of the store loop
 * (docs/guide/changes.md).
 */
export class ChangesStore {
  readonly #client: Client;
  readonly #generation: Generation;
  readonly #onEntry: ((outcome: BulkOutcome) => void) | undefined;
  readonly #hasDetails: boolean;
  readonly #now: () => number;
  readonly #liveMark: ChangesStoreOptions['liveMark'];

  constructor(
    client: Client,
    generation: Generation,
    { onEntry, hasDetails = true, now = Date.now, liveMark }: ChangesStoreOptions = {},
  ) {
    this.#client = client;
    this.#generation = generation;
    this.#onEntry = onEntry;
    this.#hasDetails = hasDetails;
    this.#now = now;
    this.#liveMark = liveMark;
  }

  /**
   * Finds the listings whose items and entries need no further write, and the hidden listings that were in
   * the feed. If such a hidden listing has no entry, the function first writes one, because its item is
   * deleted before its next entry is written.
   * @throws ElasticsearchUnavailableError
   */
  async plan(listings: readonly PlannedListing[], signal?: AbortSignal): Promise<EntryPlan> {
    const same = listings.filter(({ isSame, item }) => isSame && item !== undefined);
    const hidden = listings.filter(({ item, mayHaveEntry }) => item === undefined && mayHaveEntry);
    const entries = await this.#read<ChangeEntry>('changesWriter', [...same, ...hidden], true, signal);
    const [complete, withdrawn] = await Promise.all([
      this.#complete(same, entries, signal),
      this.#withdrawn(hidden, entries, signal),
    ]);
    return { complete, withdrawn };
  }

  /**
   * Writes entries at these revisions, after Elasticsearch has acknowledged the items.
   * @returns listing id -> its entry, without the listings that have a newer entry
   * @throws ElasticsearchUnavailableError. The caller then cannot know which entries were written.
   */
  async write(changes: readonly ChangedListing[], signal?: AbortSignal): Promise<Map<string, WrittenEntry>> {
    const ids = changes.map(({ id }) => id);
    const mark = await this.#liftLive(ids, undefined, signal);
    const at = this.#now();
    const entries = changes.map(({ id, state, revision, details }) =>
      changeEntry(this.#generation, id, { state, at, ...(this.#hasDetails && details) }, revision),
    );
    const results = await writeBulk(this.#client, entries, { signal, onEntry: this.#onEntry });
    // The aliases may have moved while the request was in progress.
    await this.#liftLive(ids, mark, signal);
    return new Map(
      changes.flatMap(({ id, state }, i) => {
        const { outcome, item } = results[i] as (typeof results)[number];
        return outcome === 'done' ? [[id, { state, sequence: item._seq_no as number }]] : [];
      }),
    );
  }

  /**
   * Lifts the entries of these listings in the live generation. A follower that has not read this generation
   * up to its mark yet may miss an entry that moves behind the mark. The follower then finds the listing in
   * the live generation.
   * @param lifted the mark above which the entries already are
   * @returns the current mark
   */
  async #liftLive(
    ids: readonly string[],
    lifted: LiveMark | undefined,
    signal: AbortSignal | undefined,
  ): Promise<LiveMark | undefined> {
    if (ids.length === 0) return undefined;
    const lift = async () => {
      const mark = await this.#liveMark?.(signal);
      if (mark && (mark.generation.changes !== lifted?.generation.changes || mark.entry !== lifted.entry))
        await liftEntries(this.#client, mark.generation, ids, mark.entry, signal);
      return mark;
    };
    return lift().catch(asUnavailable('touch live entries'));
  }

  async #complete(
    listings: readonly PlannedListing[],
    entries: Stored<ChangeEntry>,
    signal: AbortSignal | undefined,
  ): Promise<Set<string>> {
    const oldest = this.#now() - SETTLED_AFTER_MS;
    const old = listings.filter(({ id }) => {
      const entry = entries.get(id)?.source;
      return entry?.state === 'updated' && entry.at <= oldest;
    });
    const complete = new Set<string>();
    const stored = await this.#read<object>('itemsWriter', old, true, signal);
    for (const { id, item, revisionBefore, notedAt } of old) {
      const found = stored.get(id);
      // An entry with the item's version or a later one was sent after Elasticsearch had acknowledged the
      // item.
      const isComplete = found && (entries.get(id)?.version ?? -1) >= found.version;
      // A late write of an item from before the last change must find a higher version.
      const isFinal = found?.version === revisionBefore || this.#isSettled(notedAt);
      if (isComplete && isFinal && JSON.stringify(found.source) === item) complete.add(id);
    }
    return complete;
  }

  /** Whether no item write from before the last change can be in progress any more. */
  #isSettled(notedAt: number | undefined): boolean {
    return notedAt !== undefined && notedAt <= this.#now() - LATE_WRITE_WITHIN_MS;
  }

  async #withdrawn(
    listings: readonly PlannedListing[],
    entries: Stored<ChangeEntry>,
    signal: AbortSignal | undefined,
  ): Promise<Set<string>> {
    const oldest = this.#now() - SETTLED_AFTER_MS;
    const hidden = listings.filter(({ id, wasVisible, notedAt }) => {
      const entry = entries.get(id)?.source;
      const isTold = entry?.state === 'deleted' && entry.at <= oldest && this.#isSettled(notedAt);
      return !wasVisible && (!entry || isTold);
    });
    // A fault can leave an item of a hidden listing behind.
    const items = await this.#read('itemsWriter', hidden, false, signal);
    const unchanged = new Set(hidden.map(({ id }) => id).filter((id) => !items.has(id)));
    const withdrawn = listings.map(({ id }) => id).filter((id) => !unchanged.has(id));
    await this.write(
      withdrawn.filter((id) => !entries.has(id)).map((id) => ({ id, state: 'deleted', revision: 0 })),
      signal,
    );
    return new Set(withdrawn);
  }

  #read<D>(
    index: 'changesWriter' | 'itemsWriter',
    listings: readonly PlannedListing[],
    source: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Stored<D>> {
    const name = this.#generation[index];
    const ids = listings.map(({ id }) => id);
    return readExisting<D>(this.#client, name, ids, { source, signal }).catch(asUnavailable(`read ${name}`));
  }
}

const asUnavailable =
  (what: string) =>
  (cause: unknown): never => {
    if (cause instanceof errors.ElasticsearchClientError)
      throw new ElasticsearchUnavailableError(`could not ${what}: ${failureReason(cause)}`, { cause });
    throw cause;
  };

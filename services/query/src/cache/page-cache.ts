import { LRUCache } from 'lru-cache';
import type { Freshness, FreshnessState, StaleState } from './freshness.ts';
import type { Page } from './page.ts';
import type { SingleFlight } from './single-flight.ts';

/** A page as it is served to one request. */
export interface ServedPage {
  page: Page;
  /** Whole seconds since a search last confirmed the page: the value of the Age header. */
  ageSeconds: number;
  outcome: CacheOutcome;
}

/** How a request obtained its page: from the cache, fresh or stale, or made by a search. A metric label. */
export type CacheOutcome = 'fresh' | 'stale' | 'made';

/** Identifies a page in the cache. */
export interface PageKey {
  /** This part of the key is equal for all requests with the same meaning, on any date. */
  criteria: string;
  /** The part of the page that depends on the date on which its request started (see `dateVariant`). */
  dateVariant: string;
}

/** A page, and the start of the search that confirmed it, in milliseconds of the clock. */
interface ConfirmedPage {
  page: Page;
  confirmedAt: number;
}

interface Entry extends ConfirmedPage {
  dateVariant: string;
  /** No search starts before this time, because an earlier one failed. */
  retryAt: number;
  /** Start of the refresh in progress. */
  refreshingSince: number | undefined;
}

export interface PageCacheOptions {
  /** 0 = no cache. */
  maxBytes: number;
  freshness: Freshness;
  flights: SingleFlight<ConfirmedPage>;
  onRead: (outcome: CacheOutcome) => void;
  /** Receives the error of a failed refresh. */
  onFailure: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

/**
 * Milliseconds for which a request waits for a refresh before it receives the stale page. The first wait is
 * short, because a refresh usually takes 5 to 15 ms. The second wait is longer, because a page of that age is
 * a last resort.
 */
const REFRESH_WAIT_MS: Record<StaleState, number> = { 'stale-while-revalidate': 50, 'stale-if-error': 1_000 };
/** Milliseconds after a failed search during which no new search for the page starts. */
const RETRY_AFTER_MS = 1_000;

/**
 * A cache of finished pages by normalized request, limited by bytes. A fresh page is served without a search.
 * A stale page is refreshed, and served itself if the refresh takes too long or fails. `FreshnessState`
 * defines the limits. A page made for another date is never fresh, so after midnight, no page of the previous
 * day is served as fresh, but the old pages remain usable as stale. Equal requests for a missing page share
 * one search. Source: docs/decisions/0014-cache-of-finished-bytes.md and 0024-midnight.md.
 */
export class PageCache {
  readonly #options: PageCacheOptions;
  readonly #entries: LRUCache<string, Entry> | undefined;
  readonly #now: () => number;

  constructor(options: PageCacheOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    const { maxBytes } = options;
    if (maxBytes > 0)
      this.#entries = new LRUCache({
        maxSize: maxBytes,
        sizeCalculation: ({ page }, key) => page.size + 2 * key.length,
      });
  }

  /** Bytes of the pages in the cache. */
  get size(): number {
    return this.#entries?.calculatedSize ?? 0;
  }

  /**
   * The page of `key` if it can be served without starting or awaiting a refresh. The caller counts the
   * read.
   */
  peek({ criteria, dateVariant }: PageKey): ServedPage | undefined {
    const entry = this.#entries?.get(criteria);
    if (!entry) return undefined;
    const state = this.#stateOf(entry, dateVariant);
    if (state === 'fresh') return this.#served(entry, dateVariant, 'fresh');
    return state !== 'expired' && this.#waitLeft(entry, state) <= 0
      ? this.#served(entry, dateVariant, 'stale')
      : undefined;
  }

  /**
   * The page of `key`. `make` searches for it if necessary.
   * @param signal aborts when the client disconnects. This aborts `make` if no other request waits for the
   *   page.
   * @throws the error of `make`, if no cached page may be served instead
   */
  async read(
    key: PageKey,
    make: (signal: AbortSignal) => Promise<Page>,
    signal: AbortSignal,
  ): Promise<ServedPage> {
    const { criteria, dateVariant } = key;
    const entry = this.#entries?.get(criteria);
    const state = entry ? this.#stateOf(entry, dateVariant) : 'expired';
    if (!entry || state === 'expired') {
      return this.#servedNew(
        await this.#options.flights.join(flightKey(key), (end) => this.#make(key, make, end), signal),
      );
    }
    if (state === 'fresh') return this.#serve(entry, dateVariant, 'fresh');
    if (this.#now() < entry.retryAt) return this.#serve(entry, dateVariant, 'stale');
    const refreshed = this.#refresh(key, entry, make);
    const made = await within(this.#waitLeft(entry, state), refreshed);
    return made ? this.#servedNew(made) : this.#serve(entry, dateVariant, 'stale');
  }

  /** Updates the size of a page in the cache, after another content encoding was added to it. */
  updateSize({ criteria }: PageKey, page: Page): void {
    const entry = this.#entries?.peek(criteria);
    // The cache would keep the old size if the value were the same object.
    if (entry?.page === page) this.#entries?.set(criteria, { ...entry });
  }

  #stateOf(entry: Entry, dateVariant: string): FreshnessState {
    const state = this.#options.freshness.stateAt(this.#now() - entry.confirmedAt);
    return state === 'fresh' && entry.dateVariant !== dateVariant
      ? this.#options.freshness.afterDateChange
      : state;
  }

  /**
   * Milliseconds for which a request should still wait for the refresh of this page; 0 or less = do not wait.
   */
  #waitLeft({ retryAt, refreshingSince }: Entry, state: StaleState): number {
    const now = this.#now();
    if (now < retryAt) return 0;
    return REFRESH_WAIT_MS[state] - (now - (refreshingSince ?? now));
  }

  /** @returns undefined if the refresh fails */
  #refresh(
    key: PageKey,
    entry: Entry,
    make: (signal: AbortSignal) => Promise<Page>,
  ): Promise<ConfirmedPage | undefined> {
    const { flights, onFailure } = this.#options;
    const isNew = !flights.isInFlight(flightKey(key));
    const made = flights.detach(flightKey(key), (end) => this.#make(key, make, end));
    if (!isNew) return made.catch(() => undefined);
    entry.refreshingSince = this.#now();
    return made.catch((error: unknown) => {
      const kept = this.#entries?.peek(key.criteria);
      if (kept) {
        kept.retryAt = this.#now() + RETRY_AFTER_MS;
        kept.refreshingSince = undefined;
      }
      onFailure(error);
      return undefined;
    });
  }

  async #make(
    { criteria, dateVariant }: PageKey,
    make: (signal: AbortSignal) => Promise<Page>,
    signal: AbortSignal,
  ): Promise<ConfirmedPage> {
    // Taken before the search, so the page's age is never understated.
    const confirmedAt = this.#now();
    const made = await make(signal);
    const before = this.#entries?.peek(criteria);
    // A search that began before midnight may end after a search that began after midnight.
    if (before && before.confirmedAt > confirmedAt) return { page: made, confirmedAt };
    // If the content is unchanged, the page keeps its bytes and their content encodings.
    const page =
      before && before.page.etag === made.etag && before.page.link === made.link ? before.page : made;
    this.#entries?.set(criteria, { page, dateVariant, confirmedAt, retryAt: 0, refreshingSince: undefined });
    return { page, confirmedAt };
  }

  /** Counts a read that `peek` returned. */
  count({ outcome }: ServedPage): void {
    this.#options.onRead(outcome);
  }

  /** A request may have joined a search that began seconds ago, so the page has an age. */
  #servedNew({ page, confirmedAt }: ConfirmedPage): ServedPage {
    this.#options.onRead('made');
    return { page, ageSeconds: this.#ageOf(confirmedAt), outcome: 'made' };
  }

  /** Whole seconds. */
  #ageOf(confirmedAt: number): number {
    return Math.floor((this.#now() - confirmedAt) / 1_000);
  }

  #serve(entry: Entry, dateVariant: string, outcome: CacheOutcome): ServedPage {
    this.#options.onRead(outcome);
    return this.#served(entry, dateVariant, outcome);
  }

  #served({ page, dateVariant, confirmedAt }: Entry, requested: string, outcome: CacheOutcome): ServedPage {
    const ageSeconds = this.#ageOf(confirmedAt);
    // Other caches regard a page as fresh while its Age is below max-age.
    return {
      page,
      ageSeconds:
        dateVariant === requested ? ageSeconds : Math.max(ageSeconds, this.#options.freshness.freshSeconds),
      outcome,
    };
  }
}

/** Requests before and after midnight need different pages, so they never share a search. */
const flightKey = ({ criteria, dateVariant }: PageKey): string => `${dateVariant} ${criteria}`;

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  if (ms <= 0) return undefined;
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(over.resolve, ms, undefined);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

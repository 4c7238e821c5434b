import { LRUCache } from 'lru-cache';
import { Problem } from '../contract/problem.ts';
import type { Freshness, FreshnessState, StaleState } from './freshness.ts';
import type { Page } from './page.ts';
import type { SingleFlight } from './single-flight.ts';

/** A page in the response to one request. */
export interface ServedPage {
  page: Page;
  /** Whole seconds since a search last confirmed the page: the value of the Age header. */
  ageSeconds: number;
  outcome: CacheOutcome;
}

/**
 * How a request obtained its page: from the cache, fresh or stale, or from a new search. The outcome is a
 * metric label.
 */
export type CacheOutcome = 'fresh' | 'stale' | 'miss';

/** Identifies a page in the cache. */
export interface PageKey {
  /** Equal for all requests with the same meaning, on any date. */
  criteria: string;
  /** The part of the page that depends on the date on which its request started (see `dateVariant`). */
  dateVariant: string;
}

/**
 * A page with the time at which the search that confirmed it began, in milliseconds of the clock. If the page
 * shows an older state (`Page.shownAt`), `confirmedAt` is the time of this state.
 */
interface ConfirmedPage {
  page: Page;
  confirmedAt: number;
}

interface Entry extends ConfirmedPage {
  dateVariant: string;
  /** The time before which no new search starts, set after a failed search. */
  retryAt: number;
  /** The time at which the refresh in progress started. */
  refreshingSince: number | undefined;
}

export interface PageCacheOptions {
  /** Maximum total size of all pages, in bytes. 0 disables the cache. */
  maxBytes: number;
  freshness: Freshness;
  flights: SingleFlight<ConfirmedPage>;
  onRead: (outcome: CacheOutcome) => void;
  /** The cache calls this with the error from a failed refresh. */
  onFailure: (error: unknown) => void;
  /** Returns the time of a monotonic clock, in milliseconds. */
  now?: () => number;
}

/**
 * How long a request waits for a refresh before it gets the stale page, in milliseconds.
 * `stale-while-revalidate` waits briefly, because a refresh usually takes 5 to 15 ms. `stale-if-error` waits
 * longer, because a page of that age is a last resort.
 */
const REFRESH_WAIT_MS: Record<StaleState, number> = { 'stale-while-revalidate': 50, 'stale-if-error': 1_000 };
/** Minimum delay between a failed search and the next search for the same page, in milliseconds. */
const RETRY_AFTER_MS = 1_000;

/**
 * A cache of finished pages by normalized request, with a limit in bytes. The cache serves a fresh page
 * without a search. A request for a stale page starts a refresh, and receives the stale page if the refresh
 * takes too long or fails. `FreshnessState` defines the limits. A page for another date is never fresh, so
 * the previous day's pages become stale at midnight. Equal requests for a missing page share one search.
 * Source: docs/decisions/0014-cache-of-finished-bytes.md and 0024-midnight.md.
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

  /** Total size of the cached pages in bytes. */
  get size(): number {
    return this.#entries?.calculatedSize ?? 0;
  }

  /**
   * Returns the page for `key` if the cache can serve it without starting or awaiting a refresh. The caller
   * must count the read.
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
   * Returns the page for `key`, or calls `make` if a search is necessary.
   * @param signal aborts when the client disconnects. The cache then aborts `make`, unless another request is
   * waiting for the page.
   * @throws the error from `make`, unless the cache may serve a stale page instead
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

  /** Updates the size of a cached page after another content encoding was added to it. */
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
   * Returns how much longer a request should wait for this page's refresh, in milliseconds. If the result is
   * 0 or less, the request should not wait.
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
      // Another request would receive the same refusal, so the page is no longer valid.
      if (error instanceof Problem && error.status < 500) this.#entries?.delete(key.criteria);
      else onFailure(error);
      return undefined;
    });
  }

  async #make(
    { criteria, dateVariant }: PageKey,
    make: (signal: AbortSignal) => Promise<Page>,
    signal: AbortSignal,
  ): Promise<ConfirmedPage> {
    // The clock is read before the search, so the page's age is never understated.
    const startedAt = this.#now();
    const made = await make(signal);
    const confirmedAt = Math.min(startedAt, made.shownAt ?? startedAt);
    const before = this.#entries?.peek(criteria);
    // An older search, for example one from before midnight, must not replace a newer search's page.
    if (before && before.confirmedAt > confirmedAt) return { page: made, confirmedAt };
    // If the content is unchanged, the cache keeps the old page with its content encodings.
    const page =
      before && before.page.etag === made.etag && before.page.link === made.link ? before.page : made;
    this.#entries?.set(criteria, { page, dateVariant, confirmedAt, retryAt: 0, refreshingSince: undefined });
    return { page, confirmedAt };
  }

  /** Counts the read of a page that `peek` returned. */
  count({ outcome }: ServedPage): void {
    this.#options.onRead(outcome);
  }

  /** Even a new page has an age, because a request may join a search that began seconds ago. */
  #servedNew({ page, confirmedAt }: ConfirmedPage): ServedPage {
    this.#options.onRead('miss');
    return { page, ageSeconds: this.#ageOf(confirmedAt), outcome: 'miss' };
  }

  /** Returns the age in whole seconds. */
  #ageOf(confirmedAt: number): number {
    return Math.floor((this.#now() - confirmedAt) / 1_000);
  }

  #serve(entry: Entry, dateVariant: string, outcome: CacheOutcome): ServedPage {
    this.#options.onRead(outcome);
    return this.#served(entry, dateVariant, outcome);
  }

  #served({ page, dateVariant, confirmedAt }: Entry, requested: string, outcome: CacheOutcome): ServedPage {
    const ageSeconds = this.#ageOf(confirmedAt);
    // The Age of a fresh page must be below max-age. Otherwise, other caches would treat the page as stale.
    return {
      page,
      ageSeconds:
        dateVariant === requested ? ageSeconds : Math.max(ageSeconds, this.#options.freshness.freshSeconds),
      outcome,
    };
  }
}

/**
 * The key contains the date variant, because requests before and after midnight need different pages and must
 * not share a search.
 */
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

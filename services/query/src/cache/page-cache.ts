import { LRUCache } from 'lru-cache';
import type { Freshness, FreshnessState } from './freshness.ts';
import type { Page } from './page.ts';
import type { SingleFlight } from './single-flight.ts';

/** A page and the state in which it is served. */
export interface Served {
  page: Page;
  /** Whole seconds since a search last confirmed the page: the value of the Age header. */
  ageSeconds: number;
  outcome: Outcome;
}

/** The way in which a request obtained its page. */
export type Outcome = 'fresh' | 'stale' | 'made';

/** The name of a page in the cache. */
export interface PageName {
  /** Equal for requests with the same meaning, on any date. */
  key: string;
  /** The part of the page that depends on the date on which its request started (see `dateVariant`). */
  variant: string;
}

/** A page, and the start of the search that confirmed it, in milliseconds of the clock. */
interface ConfirmedPage {
  page: Page;
  confirmedAt: number;
}

interface Entry extends ConfirmedPage {
  variant: string;
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
  onRead: (outcome: Outcome) => void;
  /** Receives the error of a failed refresh. */
  onFailure: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

/**
 * Milliseconds for which a request waits for a refresh before it receives the cached page. The wait for a
 * stale page is short, because a refresh usually takes 5 to 15 ms. For an old page it is longer, because an
 * old page is a last resort.
 */
const REFRESH_WAIT_MS = { stale: 50, old: 1_000 };
/** Milliseconds after a failed search during which no new search for the page starts. */
const RETRY_AFTER_MS = 1_000;

/**
 * A cache of finished pages by normalized request, limited by bytes. A fresh page is served without a search.
 * A stale page is refreshed: the request waits briefly for the new page and otherwise receives the stale one
 * (RFC 5861). An old page is served only if a refresh fails or takes too long. A page made for another date
 * counts as stale or older. So the cache is not empty after midnight, and no page of yesterday is served as
 * fresh. Equal requests for a missing page share one search. Source:
 * docs/decisions/0014-cache-of-finished-bytes.md and 0024-midnight.md.
 */
export class PageCache {
  readonly #options: PageCacheOptions;
  readonly #entries: LRUCache<string, Entry> | undefined;
  readonly #now: () => number;

  constructor(options: PageCacheOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    const { maxBytes } = options;
    if (maxBytes > 0) this.#entries = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ page }, key) => page.size + 2 * key.length });
  }

  /** Bytes of the pages in the cache. */
  get size(): number {
    return this.#entries?.calculatedSize ?? 0;
  }

  /**
   * The page of this name if it can be served without starting or awaiting a refresh. The caller counts the
   * read.
   */
  peek({ key, variant }: PageName): Served | undefined {
    const entry = this.#entries?.get(key);
    if (!entry) return undefined;
    const state = this.#stateOf(entry, variant);
    if (state === 'fresh') return this.#served(entry, variant, 'fresh');
    return state !== 'gone' && this.#waitLeft(entry, state) <= 0 ? this.#served(entry, variant, 'stale') : undefined;
  }

  /**
   * The page of this name. `make` searches for it if necessary.
   * @param signal aborts when the client disconnects. `make` is aborted if no other request waits for it.
   * @throws the error of `make`, if no cached page may be served instead
   */
  async read(name: PageName, make: (signal: AbortSignal) => Promise<Page>, signal: AbortSignal): Promise<Served> {
    const { key, variant } = name;
    const entry = this.#entries?.get(key);
    const state = entry ? this.#stateOf(entry, variant) : 'gone';
    if (!entry || state === 'gone') {
      return this.#made(await this.#options.flights.join(flightOf(name), (end) => this.#make(name, make, end), signal));
    }
    if (state === 'fresh') return this.#serve(entry, variant, 'fresh');
    if (this.#now() < entry.retryAt) return this.#serve(entry, variant, 'stale');
    const refreshed = this.#refresh(name, entry, make);
    const made = await within(this.#waitLeft(entry, state), refreshed);
    return made ? this.#made(made) : this.#serve(entry, variant, 'stale');
  }

  /** Updates the size of a page in the cache, after another content encoding was added to it. */
  grown(key: string, page: Page): void {
    const entry = this.#entries?.peek(key);
    // The cache would keep the old size if the value were the same object.
    if (entry?.page === page) this.#entries?.set(key, { ...entry });
  }

  #stateOf(entry: Entry, variant: string): FreshnessState {
    const state = this.#options.freshness.stateAt(this.#now() - entry.confirmedAt);
    return state === 'fresh' && entry.variant !== variant ? this.#options.freshness.outdated : state;
  }

  /**
   * Milliseconds for which a request should still wait for the refresh of this page; 0 or less = do not wait.
   */
  #waitLeft({ retryAt, refreshingSince }: Entry, state: 'stale' | 'old'): number {
    const now = this.#now();
    if (now < retryAt) return 0;
    return REFRESH_WAIT_MS[state] - (now - (refreshingSince ?? now));
  }

  /** @returns undefined if the refresh fails */
  #refresh(name: PageName, entry: Entry, make: (signal: AbortSignal) => Promise<Page>): Promise<ConfirmedPage | undefined> {
    const { flights, onFailure } = this.#options;
    const isNew = !flights.isUnderWay(flightOf(name));
    const made = flights.detach(flightOf(name), (end) => this.#make(name, make, end));
    if (!isNew) return made.catch(() => undefined);
    entry.refreshingSince = this.#now();
    return made.catch((error: unknown) => {
      const kept = this.#entries?.peek(name.key);
      if (kept) {
        kept.retryAt = this.#now() + RETRY_AFTER_MS;
        kept.refreshingSince = undefined;
      }
      onFailure(error);
      return undefined;
    });
  }

  async #make({ key, variant }: PageName, make: (signal: AbortSignal) => Promise<Page>, signal: AbortSignal): Promise<ConfirmedPage> {
    // Taken before the search, so the page's age is never understated.
    const confirmedAt = this.#now();
    const made = await make(signal);
    const before = this.#entries?.peek(key);
    // A search that began before midnight may end after one that began after midnight.
    if (before && before.confirmedAt > confirmedAt) return { page: made, confirmedAt };
    // Unchanged content keeps its bytes, and with them its content encodings.
    const page = before && before.page.etag === made.etag && before.page.link === made.link ? before.page : made;
    this.#entries?.set(key, { page, variant, confirmedAt, retryAt: 0, refreshingSince: undefined });
    return { page, confirmedAt };
  }

  /** Counts a read that `peek` returned. */
  count({ outcome }: Served): void {
    this.#options.onRead(outcome);
  }

  /** A request may have joined a search that began seconds ago, so the page has an age. */
  #made({ page, confirmedAt }: ConfirmedPage): Served {
    this.#options.onRead('made');
    return { page, ageSeconds: this.#ageOf(confirmedAt), outcome: 'made' };
  }

  /** Whole seconds. */
  #ageOf(confirmedAt: number): number {
    return Math.floor((this.#now() - confirmedAt) / 1_000);
  }

  #serve(entry: Entry, variant: string, outcome: Outcome): Served {
    this.#options.onRead(outcome);
    return this.#served(entry, variant, outcome);
  }

  #served({ page, variant: made, confirmedAt }: Entry, variant: string, outcome: Outcome): Served {
    const ageSeconds = this.#ageOf(confirmedAt);
    // Other caches regard a page as fresh while its Age is below max-age.
    return { page, ageSeconds: made === variant ? ageSeconds : Math.max(ageSeconds, this.#options.freshness.freshSeconds), outcome };
  }
}

/** Requests before and after midnight need different pages, so they never share a search. */
const flightOf = ({ key, variant }: PageName): string => `${variant} ${key}`;

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

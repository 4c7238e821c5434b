import { LRUCache } from 'lru-cache';
import type { Freshness, FreshnessState } from './freshness.ts';
import type { Page } from './page.ts';
import type { SingleFlight } from './single-flight.ts';

/** A page as it is served now. */
export interface Served {
  page: Page;
  /** Whole seconds since a search last confirmed it: the value of the Age header. */
  ageSeconds: number;
  outcome: Outcome;
}

/** How a request came to its page. */
export type Outcome = 'fresh' | 'stale' | 'made';

/** The name of a page in the cache. */
export interface PageName {
  /** Equal for requests that mean the same, whatever the date. */
  key: string;
  /** What the page takes from the date on which its request started (see `dateVariant`). */
  variant: string;
}

interface Entry {
  page: Page;
  variant: string;
  /** When the search that confirmed this page began, in the clock's milliseconds. */
  confirmedAt: number;
  /** No search is tried before this time, because one has failed. */
  retryAt: number;
  /** When the refresh in progress began. */
  refreshingSince: number | undefined;
}

export interface PageCacheOptions {
  /** 0 = the cache keeps nothing. */
  maxBytes: number;
  freshness: Freshness;
  flights: SingleFlight<Page>;
  onRead: (outcome: Outcome) => void;
  /** Receives the error of a failed refresh. */
  onFailure: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

/**
 * How long, in milliseconds, a request waits for the refresh of a page that could be served as it is. A stale page waits
 * briefly, because a refresh mostly takes 5 to 15 ms; an old one waits longer, because it is served only as a last resort.
 */
const REFRESH_WAIT_MS = { stale: 50, old: 1_000 };
/** A page whose search failed is not searched for again for this long. */
const RETRY_AFTER_MS = 1_000;

/**
 * Finished pages by the normalized request, bounded by bytes. A fresh page is served as it is. A stale page is refreshed:
 * the request waits a moment for the new one and then gets the stale one (RFC 5861). An old page is served only where a
 * refresh fails or takes too long. A page made for another date counts as stale at least, so midnight leaves no empty
 * cache and serves no page of yesterday as fresh. Equal requests for a missing page share one search.
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
    if (maxBytes > 0) this.#entries = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ page }, key) => page.size + 2 * key.length });
  }

  /** Bytes of the pages in the cache. */
  get size(): number {
    return this.#entries?.calculatedSize ?? 0;
  }

  /** The page of this name where it can be served at once, without a refresh to start or to wait for. The caller counts the read. */
  peek({ key, variant }: PageName): Served | undefined {
    const entry = this.#entries?.get(key);
    if (!entry) return undefined;
    const state = this.#stateOf(entry, variant);
    if (state === 'fresh') return this.#served(entry, variant, 'fresh');
    return state !== 'gone' && this.#waitLeft(entry, state) <= 0 ? this.#served(entry, variant, 'stale') : undefined;
  }

  /**
   * The page of this name. `make` searches for it where that is needed.
   * @param signal of the request: `make` is aborted when no other request waits for it
   * @throws whatever `make` throws where no kept page may be served instead
   */
  async read(name: PageName, make: (signal: AbortSignal) => Promise<Page>, signal: AbortSignal): Promise<Served> {
    const { key, variant } = name;
    const entry = this.#entries?.get(key);
    const state = entry ? this.#stateOf(entry, variant) : 'gone';
    if (!entry || state === 'gone') {
      const page = await this.#options.flights.join(flightOf(name), (end) => this.#make(name, make, end), signal);
      return this.#made(page);
    }
    if (state === 'fresh') return this.#serve(entry, variant, 'fresh');
    if (this.#now() < entry.retryAt) return this.#serve(entry, variant, 'stale');
    const refreshed = this.#refresh(name, entry, make);
    const page = await within(this.#waitLeft(entry, state), refreshed);
    return page ? this.#made(page) : this.#serve(entry, variant, 'stale');
  }

  /** Counts the bytes of a page again, after it has got another content encoding. */
  grown(key: string, page: Page): void {
    const entry = this.#entries?.peek(key);
    // An equal value would keep its old size.
    if (entry?.page === page) this.#entries?.set(key, { ...entry });
  }

  #stateOf(entry: Entry, variant: string): FreshnessState {
    const state = this.#options.freshness.stateAt(this.#now() - entry.confirmedAt);
    return state === 'fresh' && entry.variant !== variant ? this.#options.freshness.outdated : state;
  }

  /** Milliseconds that a request should still wait for the refresh of this page; 0 or less = none. */
  #waitLeft({ retryAt, refreshingSince }: Entry, state: 'stale' | 'old'): number {
    const now = this.#now();
    if (now < retryAt) return 0;
    return REFRESH_WAIT_MS[state] - (now - (refreshingSince ?? now));
  }

  /** @returns undefined when the refresh fails */
  #refresh(name: PageName, entry: Entry, make: (signal: AbortSignal) => Promise<Page>): Promise<Page | undefined> {
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

  async #make({ key, variant }: PageName, make: (signal: AbortSignal) => Promise<Page>, signal: AbortSignal): Promise<Page> {
    // Taken before the search, so the page's age is never understated.
    const confirmedAt = this.#now();
    const made = await make(signal);
    const before = this.#entries?.peek(key);
    // A search that began before midnight may end after one that began later.
    if (before && before.confirmedAt > confirmedAt) return made;
    // Unchanged content keeps its bytes, and with them its content encodings.
    const page = before && before.page.etag === made.etag && before.page.link === made.link ? before.page : made;
    this.#entries?.set(key, { page, variant, confirmedAt, retryAt: 0, refreshingSince: undefined });
    return page;
  }

  /** Counts a read that `peek` gave. */
  count({ outcome }: Served): void {
    this.#options.onRead(outcome);
  }

  #made(page: Page): Served {
    this.#options.onRead('made');
    return { page, ageSeconds: 0, outcome: 'made' };
  }

  #serve(entry: Entry, variant: string, outcome: Outcome): Served {
    this.#options.onRead(outcome);
    return this.#served(entry, variant, outcome);
  }

  #served({ page, variant: made, confirmedAt }: Entry, variant: string, outcome: Outcome): Served {
    const ageSeconds = Math.floor((this.#now() - confirmedAt) / 1_000);
    // Other caches take a page for fresh as long as its Age is below max-age.
    return { page, ageSeconds: made === variant ? ageSeconds : Math.max(ageSeconds, this.#options.freshness.freshSeconds), outcome };
  }
}

/** Requests before and after midnight want different pages, so they never share a search. */
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

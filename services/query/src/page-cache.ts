import { LRUCache } from 'lru-cache';
import type { Freshness } from './freshness.ts';
import type { Page } from './page.ts';
import type { SingleFlight } from './single-flight.ts';

/** A page as it is served now. */
export interface Served {
  page: Page;
  /** Whole seconds since it was last known to be what a search gives. */
  ageSeconds: number;
  outcome: Outcome;
}

/** How a request came to its page. */
export type Outcome = 'fresh' | 'stale' | 'made';

interface Entry {
  page: Page;
  /** When a search last gave this page, in the clock's milliseconds. */
  confirmedAt: number;
  /** Not before this another search is tried, after one has failed. */
  retryAt: number;
  /** When the refresh began that is under way. */
  refreshingSince: number;
}

export interface PageCacheOptions {
  /** 0 = nothing is kept. */
  maxBytes: number;
  freshness: Freshness;
  flights: SingleFlight<Page>;
  onRead: (outcome: Outcome) => void;
  /** A refresh in the background that failed. */
  onFailure: (error: unknown) => void;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** For so long a request waits for a page that is too old, where an old one could still be served. */
const PATIENCE_MS = 1_000;
/** For so long nothing is tried again for a page that could not be made. */
const RETRY_AFTER_MS = 1_000;

/**
 * Finished pages by the normalized request, bounded by bytes. A fresh one is served as it is; one
 * that is a little stale too, while it is made anew; an old one only where a new one cannot be had
 * in time (RFC 5861). Equal requests for a page that is not there share the making of it.
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

  /** Bytes that are kept. */
  get size(): number {
    return this.#entries?.calculatedSize ?? 0;
  }

  /** The page of `key` where it is there and needs no refresh. The caller counts the read once it uses the page. */
  peek(key: string): Served | undefined {
    const entry = this.#entries?.get(key);
    if (!entry) return undefined;
    const now = this.#now();
    const state = this.#options.freshness.stateAt(now - entry.confirmedAt);
    if (state === 'fresh' || (state !== 'gone' && now < entry.retryAt)) return this.#served(entry, state === 'fresh' ? 'fresh' : 'stale');
    return undefined;
  }

  /**
   * The page of `key`, by `make` where it must be.
   * @param signal of the one who asks: its end is the end of `make` where nobody else waits for it
   * @throws whatever `make` throws where no page may stand in for its result
   */
  async read(key: string, make: (signal: AbortSignal) => Promise<Page>, signal: AbortSignal): Promise<Served> {
    const entry = this.#entries?.get(key);
    const now = this.#now();
    const state = entry ? this.#options.freshness.stateAt(now - entry.confirmedAt) : 'gone';
    if (!entry || state === 'gone') {
      const page = await this.#options.flights.join(key, (end) => this.#make(key, make, end), signal);
      this.#options.onRead('made');
      return { page, ageSeconds: 0, outcome: 'made' };
    }
    if (state === 'fresh') return this.#serve(entry, 'fresh');
    if (now < entry.retryAt) return this.#serve(entry, 'stale');
    const refreshed = this.#refresh(key, entry, make);
    if (state === 'stale') return this.#serve(entry, 'stale');
    const page = await within(PATIENCE_MS - (now - entry.refreshingSince), refreshed);
    if (!page) return this.#serve(entry, 'stale');
    this.#options.onRead('made');
    return { page, ageSeconds: 0, outcome: 'made' };
  }

  /** To be called when a page has got another coding, for the bytes to be counted. */
  grown(key: string, page: Page): void {
    const entry = this.#entries?.peek(key);
    // An equal value would keep its old size.
    if (entry?.page === page) this.#entries?.set(key, { ...entry });
  }

  /** @returns undefined when it fails */
  #refresh(key: string, entry: Entry, make: (signal: AbortSignal) => Promise<Page>): Promise<Page | undefined> {
    const { flights, onFailure } = this.#options;
    const isNew = !flights.isUnderWay(key);
    const made = flights.detach(key, (end) => this.#make(key, make, end));
    if (!isNew) return made.catch(() => undefined);
    entry.refreshingSince = this.#now();
    return made.catch((error: unknown) => {
      const kept = this.#entries?.peek(key);
      if (kept) kept.retryAt = this.#now() + RETRY_AFTER_MS;
      onFailure(error);
      return undefined;
    });
  }

  async #make(key: string, make: (signal: AbortSignal) => Promise<Page>, signal: AbortSignal): Promise<Page> {
    // Before the search: what it finds is from then on at the latest.
    const confirmedAt = this.#now();
    const made = await make(signal);
    const before = this.#entries?.peek(key)?.page;
    // Unchanged content keeps its bytes, and with them its codings.
    const page = before && before.etag === made.etag && before.link === made.link ? before : made;
    this.#entries?.set(key, { page, confirmedAt, retryAt: 0, refreshingSince: 0 });
    return page;
  }

  /** Counts a read that `peek` gave. */
  count({ outcome }: Served): void {
    this.#options.onRead(outcome);
  }

  #serve(entry: Entry, outcome: Outcome): Served {
    this.#options.onRead(outcome);
    return this.#served(entry, outcome);
  }

  #served({ page, confirmedAt }: Entry, outcome: Outcome): Served {
    return { page, ageSeconds: Math.floor((this.#now() - confirmedAt) / 1_000), outcome };
  }
}

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

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { SharedResource, untilAborted } from './shared-resource.ts';

/** A point in time of the index, and its known counts. */
export interface PointInTime {
  /** The identifier of the point in time. Elasticsearch may return a new identifier with every response. */
  id: string;
  /** Parts of rank indices. */
  readonly rankCounts: SharedCounts;
  /** The number of matching items by filter. */
  readonly totals: SharedCounts;
  /** The offers of a date by filter and date. */
  readonly offers: SharedCounts;
  /** The offers of a stay by filter, first night and number of nights. */
  readonly stays: SharedCounts;
  /** The clauses for limits on totals by filter. */
  readonly limits: SharedCounts;
  /** The values of a facet by filter. */
  readonly facets: SharedCounts;
  /** The lowest totals for values of a facet by filter. */
  readonly facetTotals: SharedCounts;
}

/** A small count takes about half a kilobyte, including the hash of its name. */
const MAX_SMALL_COUNTS = 8_000;
/**
 * A part of a rank index has at most about a thousand small objects, so this number of parts takes at most
 * tens of megabytes.
 */
const MAX_RANK_PARTS = 200;
/** The values of one facet take at most 8 MB: 4 MB of JSON at two bytes per character. */
const MAX_FACETS = 8;
/** A request has totals for at most 100 values. */
const MAX_FACET_TOTALS = 50;

const createCounts = (max: number) => new SharedCounts(new LRUCache<string, SharedCount>({ max }));

export interface SharedPointInTimeOptions {
  open: () => Promise<string>;
  close: (id: string) => Promise<unknown>;
  /** How long new readers share one point in time, in milliseconds. */
  lifetimeMs: number;
}

/**
 * Lets pages that are requested within a few seconds share one point in time. Therefore their counts and hits
 * show the same state of the index despite refreshes and alias switches, and many pages share one count.
 */
export class SharedPointInTime extends SharedResource<PointInTime> {
  constructor({ open, close, lifetimeMs }: SharedPointInTimeOptions) {
    super({
      open: async () => ({
        id: await open(),
        rankCounts: createCounts(MAX_RANK_PARTS),
        totals: createCounts(MAX_SMALL_COUNTS),
        offers: createCounts(MAX_SMALL_COUNTS),
        stays: createCounts(MAX_SMALL_COUNTS),
        limits: createCounts(MAX_FACETS),
        facets: createCounts(MAX_FACETS),
        facetTotals: createCounts(MAX_FACET_TOTALS),
      }),
      close: ({ id }) => close(id),
      lifetimeMs,
    });
  }
}

/** A count that is in progress or complete. */
export interface SharedCount {
  result: Promise<unknown>;
  isDone: boolean;
  /** Number of pages waiting for the result. */
  readers: number;
  stop: AbortController;
}

/**
 * The counts for one point in time that pages share: totals, offers by date, and parts of rank indices. Pages
 * that need the same count wait for one search. If the last waiting page gives up, the search is cancelled. A
 * later page starts a new count.
 */
export class SharedCounts {
  readonly #counts: LRUCache<string, SharedCount>;

  /** @param counts stores the counts by the hashes of their names, and limits their number */
  constructor(counts: LRUCache<string, SharedCount>) {
    this.#counts = counts;
  }

  /**
   * Returns the stored count for `name`, or runs `count` and stores its result.
   * @param signal stops the wait. The last waiting page also waits until the cancelled search has ended,
   *   because the search occupies a slot in the limiter until then.
   * @throws FeedUnavailable if `signal` aborts; any error from `count`
   */
  async read<T>(name: string, count: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    // A name can be as long as a request, or contain the ids of thousands of items.
    const key = hash('sha256', name, 'base64url');
    const shared = this.#counts.get(key) ?? this.#start(key, count);
    if (shared.isDone) return shared.result as Promise<T>;
    shared.readers++;
    try {
      return (await untilAborted(shared.result, signal)) as T;
    } finally {
      shared.readers--;
      if (shared.readers === 0 && !shared.isDone) await this.#cancel(key, shared);
    }
  }

  #start(key: string, count: (signal: AbortSignal) => Promise<unknown>): SharedCount {
    const stop = new AbortController();
    const shared: SharedCount = { result: count(stop.signal), isDone: false, readers: 0, stop };
    this.#counts.set(key, shared);
    shared.result.then(
      () => {
        shared.isDone = true;
      },
      () => {
        shared.isDone = true;
        this.#forget(key, shared);
      },
    );
    return shared;
  }

  async #cancel(key: string, shared: SharedCount): Promise<void> {
    this.#forget(key, shared);
    shared.stop.abort();
    await shared.result.catch(() => undefined);
  }

  #forget(key: string, shared: SharedCount): void {
    if (this.#counts.peek(key) === shared) this.#counts.delete(key);
  }
}

/**
 * Reads the values of several keys. Pages share the value of each key, because the keys of two pages, for
 * example neighboring dates, often overlap. One search finds the values of all keys that no page has read
 * before.
 * @param name what the values belong to, for example the JSON of a query
 * @param count searches the point in time of `counts`, until the signal aborts. Its result leaves out keys
 * without a value.
 * @param signal ends this page's wait. A search ends when no page waits for any of its keys.
 * @throws FeedUnavailable; any error from `count`
 */
export async function readEach<T>(
  name: string,
  keys: readonly string[],
  counts: SharedCounts,
  count: (keys: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, T>>,
  signal: AbortSignal,
): Promise<T[]> {
  const missing: { key: string; stop: AbortSignal }[] = [];
  const counted = Promise.withResolvers<ReadonlyMap<string, T>>();
  const reads = keys.map((key) =>
    counts.read(
      `${name}${key}`,
      async (stop) => {
        missing.push({ key, stop });
        return (await counted.promise).get(key);
      },
      signal,
    ),
  );
  if (missing.length > 0)
    count(
      missing.map(({ key }) => key),
      whenAllAbort(missing.map(({ stop }) => stop)),
    ).then(counted.resolve, counted.reject);
  const settled = await Promise.allSettled(reads);
  return settled.flatMap((read) => {
    if (read.status === 'rejected') throw read.reason;
    return read.value ?? [];
  });
}

/** Returns a signal that aborts after all `signals` have aborted. */
function whenAllAbort(signals: readonly AbortSignal[]): AbortSignal {
  const all = new AbortController();
  let left = signals.length;
  for (const signal of signals)
    signal.addEventListener('abort', () => {
      left--;
      if (left === 0) all.abort();
    });
  return all.signal;
}

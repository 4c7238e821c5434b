import { LRUCache } from 'lru-cache';
import { PointInTimeLost } from './search-failure.ts';
import { type SharedCount, SharedCounts } from './shared-counts.ts';
import { untilAborted } from './until-aborted.ts';

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
}

/** The cache limits the total size of the names, because a name can be as long as a request. */
const MAX_SMALL_COUNTS_BYTES = 4 * 1024 * 1024;
const SMALL_COUNT_OVERHEAD_BYTES = 400;
/**
 * A part of a rank index has at most about a thousand small objects, so this number of parts takes at most
 * tens of megabytes.
 */
const MAX_RANK_PARTS = 200;

const createSmallCounts = () =>
  new SharedCounts(
    new LRUCache({
      maxSize: MAX_SMALL_COUNTS_BYTES,
      sizeCalculation: (_, name) => name.length + SMALL_COUNT_OVERHEAD_BYTES,
    }),
  );
const createRankCounts = () => new SharedCounts(new LRUCache<string, SharedCount>({ max: MAX_RANK_PARTS }));

export interface SharedPointInTimeOptions {
  open: () => Promise<string>;
  close: (id: string) => Promise<unknown>;
  /** How long new readers share one point in time, in milliseconds. */
  lifetimeMs: number;
}

interface OpenPointInTime {
  pointInTime: Promise<PointInTime>;
  readers: number;
  /** Whether the point in time accepts no further readers. */
  isRetired: boolean;
  isClosing: boolean;
  /** Resolves when Elasticsearch has closed it. */
  closed: PromiseWithResolvers<void>;
}

/**
 * Lets the pages of a few seconds share one point in time. Therefore their counts and hits show the same
 * state of the index despite refreshes and alias switches, and many pages share one count. A retired point in
 * time is closed when its last reader has finished.
 */
export class SharedPointInTime {
  readonly #options: SharedPointInTimeOptions;
  readonly #open = new Set<OpenPointInTime>();
  #current: OpenPointInTime | undefined;

  constructor(options: SharedPointInTimeOptions) {
    this.#options = options;
  }

  /**
   * Runs `read` with the current point in time. If the point in time is lost, retires it. If it was already
   * open before this call, also runs `read` once more with a new one. Any other failure of `read` neither
   * affects the point in time nor repeats `read`.
   */
  async use<T>(
    read: (pointInTime: PointInTime) => Promise<T>,
    signal: AbortSignal,
    attempts = 2,
  ): Promise<T> {
    const isOlder = this.#current !== undefined;
    const opened = this.#current ?? this.#openNew();
    opened.readers++;
    try {
      return await read(await untilAborted(opened.pointInTime, signal));
    } catch (error) {
      if (!(error instanceof PointInTimeLost)) throw error;
      this.#retire(opened);
      if (!isOlder || attempts === 1 || signal.aborted) throw error;
    } finally {
      opened.readers--;
      this.#closeIfDone(opened);
    }
    return this.use(read, signal, attempts - 1);
  }

  /**
   * Closes the current point in time. Resolves when all points in time are closed. A later read opens a new
   * point in time.
   */
  async close(): Promise<void> {
    if (this.#current) this.#retire(this.#current);
    await Promise.all([...this.#open].map(({ closed }) => closed.promise));
  }

  #openNew(): OpenPointInTime {
    const pointInTime = this.#options.open().then((id) => ({
      id,
      rankCounts: createRankCounts(),
      totals: createSmallCounts(),
      offers: createSmallCounts(),
    }));
    const opened: OpenPointInTime = {
      pointInTime,
      readers: 0,
      isRetired: false,
      isClosing: false,
      closed: Promise.withResolvers(),
    };
    this.#current = opened;
    this.#open.add(opened);
    // If opening fails, the next page must try again.
    pointInTime.catch(() => this.#retire(opened));
    setTimeout(() => this.#retire(opened), this.#options.lifetimeMs).unref();
    return opened;
  }

  #retire(opened: OpenPointInTime): void {
    if (this.#current === opened) this.#current = undefined;
    opened.isRetired = true;
    this.#closeIfDone(opened);
  }

  #closeIfDone(opened: OpenPointInTime): void {
    if (!opened.isRetired || opened.readers > 0 || opened.isClosing) return;
    opened.isClosing = true;
    void opened.pointInTime
      .then(({ id }) => this.#options.close(id))
      // If the request to close fails, the point in time ends with its keep-alive.
      .catch(() => undefined)
      .then(() => {
        this.#open.delete(opened);
        opened.closed.resolve();
      });
  }
}

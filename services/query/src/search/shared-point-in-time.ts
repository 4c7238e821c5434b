import { LRUCache } from 'lru-cache';
import { FeedUnavailable, PointInTimeLost } from './search-failure.ts';
import { type SharedCount, SharedCounts } from './shared-counts.ts';

/** One point in time of the index, and its known counts. */
export interface Snapshot {
  /** The identifier of the point in time. Elasticsearch may return a new one with every response. */
  id: string;
  /** Parts of rank indices, and offers by date. */
  readonly ranks: SharedCounts;
  /** The number of matching items by filter. */
  readonly totals: SharedCounts;
}

/** The totals are limited by the size of their names, because a name can be as long as a request. */
const MAX_TOTALS_BYTES = 4 * 1024 * 1024;
const TOTAL_OVERHEAD_BYTES = 300;
/**
 * A part of a rank index has at most about a thousand small objects, so all parts take at most tens of
 * megabytes.
 */
const MAX_RANK_PARTS = 200;

const createTotals = () =>
  new SharedCounts(new LRUCache({ maxSize: MAX_TOTALS_BYTES, sizeCalculation: (_, name) => name.length + TOTAL_OVERHEAD_BYTES }));
const createRanks = () => new SharedCounts(new LRUCache<string, SharedCount>({ max: MAX_RANK_PARTS }));

export interface SnapshotsOptions {
  open: () => Promise<string>;
  close: (id: string) => Promise<unknown>;
  /** Milliseconds for which new readers receive the same snapshot. */
  lifetimeMs: number;
}

interface Held {
  snapshot: Promise<Snapshot>;
  users: number;
  retired: boolean;
  closing: Promise<void> | undefined;
  /** Resolves when the point in time is closed. */
  closed: PromiseWithResolvers<void>;
}

/**
 * Points in time that pages share. New pages receive the current one for a few seconds. So counts and hits
 * show the same index through every refresh and alias switch, and one count serves many pages. A retired
 * point in time is closed when its last user is done.
 */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #open = new Set<Held>();
  #current: Held | undefined;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  /**
   * Runs `read` with a snapshot. If its point in time is lost, no other page receives it, and `read` runs
   * again with a new one. Any other failure has no effect on the point in time, and `read` is not repeated.
   */
  async use<T>(read: (snapshot: Snapshot) => Promise<T>, signal: AbortSignal, tries = 2): Promise<T> {
    const isOlder = this.#current !== undefined;
    const held = this.#current ?? this.#openNew();
    held.users++;
    try {
      return await read(await orGivenUp(held.snapshot, signal));
    } catch (error) {
      if (!(error instanceof PointInTimeLost)) throw error;
      this.#retire(held);
      if (!isOlder || tries === 1 || signal.aborted) throw error;
    } finally {
      held.users--;
      this.#closeIfDone(held);
    }
    return this.use(read, signal, tries - 1);
  }

  /** Closes the current point in time. Resolves when all are closed. A later read opens a new one. */
  async close(): Promise<void> {
    if (this.#current) this.#retire(this.#current);
    await Promise.all([...this.#open].map(({ closed }) => closed.promise));
  }

  #openNew(): Held {
    const snapshot = this.#options.open().then((id) => ({ id, ranks: createRanks(), totals: createTotals() }));
    const held: Held = { snapshot, users: 0, retired: false, closing: undefined, closed: Promise.withResolvers() };
    this.#current = held;
    this.#open.add(held);
    // If opening fails, the next page must try again.
    snapshot.catch(() => this.#retire(held));
    setTimeout(() => this.#retire(held), this.#options.lifetimeMs).unref();
    return held;
  }

  #retire(held: Held): void {
    if (this.#current === held) this.#current = undefined;
    held.retired = true;
    this.#closeIfDone(held);
  }

  #closeIfDone(held: Held): void {
    if (!held.retired || held.users > 0 || held.closing) return;
    held.closing = held.snapshot
      .then(({ id }) => this.#options.close(id))
      // If closing fails, the point in time ends with its keep-alive.
      .catch(() => undefined)
      .then(() => {
        this.#open.delete(held);
        held.closed.resolve();
      });
  }
}

/** Waits for `work` until `signal` aborts. `work` itself continues for other readers. */
async function orGivenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const givenUp = Promise.withResolvers<never>();
  const giveUp = () => givenUp.reject(new FeedUnavailable('given up'));
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([work, givenUp.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

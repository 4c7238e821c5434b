import { LRUCache } from 'lru-cache';
import { createDirectoryCache, type DirectoryCache } from './rank-directory.ts';

/** One point in time of the index, and what is known of it. */
export interface Snapshot {
  /** The identifier of the point in time; Elasticsearch may give a new one with every answer. */
  id: string;
  readonly directories: DirectoryCache;
  /** How many items match, by what they have to match. */
  readonly totals: LRUCache<string, Promise<number>>;
}

/** By their names, which may be as long as a request: as many as some thousand usual ones take. */
const MAX_TOTALS_BYTES = 4 * 1024 * 1024;
const TOTAL_OVERHEAD_BYTES = 200;

const createTotals = () =>
  new LRUCache<string, Promise<number>>({ maxSize: MAX_TOTALS_BYTES, sizeCalculation: (_, name) => name.length + TOTAL_OVERHEAD_BYTES });

export interface SnapshotsOptions {
  open: () => Promise<string>;
  close: (id: string) => Promise<unknown>;
  /** How long a snapshot is given out. */
  lifetimeMs: number;
}

interface Held {
  snapshot: Promise<Snapshot>;
  users: number;
  retired: boolean;
  closed: boolean;
}

/**
 * Points in time that requests share: one at a time is given out, for some seconds, so that
 * whatever is counted and whatever is read with it is the same index, through every refresh and
 * alias switch, and the counting is done once for many pages. A retired one is closed when its last
 * user is done.
 */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  #current: Held | undefined;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  /**
   * Runs `read` with a snapshot. One that is to blame for a failure is given out no more; if it was
   * an older one, that may have ended by itself (a node went, its index was deleted), `read` has a
   * second try with a new one.
   */
  async use<T>(read: (snapshot: Snapshot) => Promise<T>, isToBlame: (error: unknown) => boolean, tries = 2): Promise<T> {
    const isOlder = this.#current !== undefined;
    const held = this.#current ?? this.#open();
    held.users++;
    try {
      return await read(await held.snapshot);
    } catch (error) {
      if (!isToBlame(error)) throw error;
      this.#retire(held);
      if (!isOlder || tries === 1) throw error;
    } finally {
      held.users--;
      this.#closeIfDone(held);
    }
    return this.use(read, isToBlame, tries - 1);
  }

  #open(): Held {
    const snapshot = this.#options.open().then((id) => ({ id, directories: createDirectoryCache(), totals: createTotals() }));
    const held: Held = { snapshot, users: 0, retired: false, closed: false };
    this.#current = held;
    setTimeout(() => this.#retire(held), this.#options.lifetimeMs).unref();
    return held;
  }

  #retire(held: Held): void {
    if (this.#current === held) this.#current = undefined;
    held.retired = true;
    this.#closeIfDone(held);
  }

  #closeIfDone(held: Held): void {
    if (!held.retired || held.users > 0 || held.closed) return;
    held.closed = true;
    // Where this fails, the point in time ends by itself when its time is over.
    held.snapshot.then(({ id }) => this.#options.close(id)).catch(() => undefined);
  }
}

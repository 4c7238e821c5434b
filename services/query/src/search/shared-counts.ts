import type { LRUCache } from 'lru-cache';
import { untilAborted } from './until-aborted.ts';

/** A count that is in progress or complete. */
export interface SharedCount {
  result: Promise<unknown>;
  isDone: boolean;
  /** Number of pages waiting for the result. */
  readers: number;
  stop: AbortController;
}

/**
 * Counts of one point in time that pages share: totals, offers by date, and parts of rank indices. Pages that
 * need the same count wait for one search. If the last waiting page gives up, the search is cancelled. A
 * later page starts a new count.
 */
export class SharedCounts {
  readonly #counts: LRUCache<string, SharedCount>;

  /** @param counts stores the counts, and limits their number or their size */
  constructor(counts: LRUCache<string, SharedCount>) {
    this.#counts = counts;
  }

  /**
   * Returns the stored count of `name`, or runs `count` and stores its result.
   * @param signal stops the wait. The last waiting page also waits until the cancelled search has ended,
   *   because the search occupies a slot in the limiter until then.
   * @throws FeedUnavailable if `signal` aborts; any error of `count`
   */
  async read<T>(name: string, count: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const shared = this.#counts.get(name) ?? this.#start(name, count);
    if (shared.isDone) return shared.result as Promise<T>;
    shared.readers++;
    try {
      return (await untilAborted(shared.result, signal)) as T;
    } finally {
      shared.readers--;
      if (shared.readers === 0 && !shared.isDone) await this.#cancel(name, shared);
    }
  }

  #start(name: string, count: (signal: AbortSignal) => Promise<unknown>): SharedCount {
    const stop = new AbortController();
    const shared: SharedCount = { result: count(stop.signal), isDone: false, readers: 0, stop };
    this.#counts.set(name, shared);
    shared.result.then(
      () => {
        shared.isDone = true;
      },
      () => {
        shared.isDone = true;
        this.#forget(name, shared);
      },
    );
    return shared;
  }

  async #cancel(name: string, shared: SharedCount): Promise<void> {
    this.#forget(name, shared);
    shared.stop.abort();
    await shared.result.catch(() => undefined);
  }

  #forget(name: string, shared: SharedCount): void {
    if (this.#counts.peek(name) === shared) this.#counts.delete(name);
  }
}

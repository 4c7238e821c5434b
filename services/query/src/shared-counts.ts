import type { LRUCache } from 'lru-cache';
import { FeedUnavailable } from './search-failure.ts';

/** A count under way or done. */
export interface SharedCount {
  result: Promise<unknown>;
  isDone: boolean;
  /** How many wait for it. */
  readers: number;
  stop: AbortController;
}

/**
 * Counts of one point in time that pages share: totals, offers by date, parts of the rank index. Pages that need the same
 * count wait for one search. It is cancelled when the last page that waits for it gives up; a later page counts anew.
 */
export class SharedCounts {
  readonly #counts: LRUCache<string, SharedCount>;

  /** @param counts bounds what is kept */
  constructor(counts: LRUCache<string, SharedCount>) {
    this.#counts = counts;
  }

  /**
   * The count of `name`: a known one, or that of `count`, which is kept unless it fails.
   * @param signal gives up; the last page that does so waits for the end of the search, as its place in the limiter must
   * @throws FeedUnavailable when `signal` aborts; whatever `count` throws
   */
  async read<T>(name: string, count: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const shared = this.#counts.get(name) ?? this.#start(name, count);
    if (shared.isDone) return shared.result as Promise<T>;
    const givenUp = Promise.withResolvers<never>();
    const giveUp = () => givenUp.reject(new FeedUnavailable('given up'));
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
    shared.readers++;
    try {
      return (await Promise.race([shared.result, givenUp.promise])) as T;
    } finally {
      signal.removeEventListener('abort', giveUp);
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

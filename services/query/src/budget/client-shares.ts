import { SearchLimiter } from '../search/search-limiter.ts';

/** How long a call may wait until other calls from the same client have ended, in milliseconds. */
const QUEUE_TIMEOUT_MS = 1_000;

/**
 * Admits the calls of agents together with the pages of the feeds. One client can occupy at most half of the
 * slots, so it cannot deny all of them to the other clients. A further call waits until one of the client's
 * earlier calls has ended.
 */
export class ClientShares {
  readonly #limiter: SearchLimiter;
  readonly #share: number;
  readonly #clients = new Map<string, SearchLimiter>();

  /**
   * @param limiter admits the calls of all clients
   * @param places the number of slots in `limiter`
   */
  constructor(limiter: SearchLimiter, places: number) {
    this.#limiter = limiter;
    this.#share = Math.ceil(places / 2);
  }

  /**
   * Runs `work` as soon as both the client and the service have a free slot.
   * @throws Overloaded; any error from `work`
   */
  async pass<T>(client: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const own = this.#clients.get(client) ?? this.#join(client);
    try {
      return await own.pass(() => this.#limiter.pass(work, signal), signal);
    } finally {
      if (own.running + own.waiting === 0) this.#clients.delete(client);
    }
  }

  #join(client: string): SearchLimiter {
    const [limit, queue] = [this.#share, 2 * this.#share];
    const own = new SearchLimiter({ limit, queue, queueTimeoutMs: QUEUE_TIMEOUT_MS });
    this.#clients.set(client, own);
    return own;
  }
}

import { LRUCache } from 'lru-cache';

const WINDOW_SECONDS = 60;
/** Maximum number of tracked clients. Beyond this number, the least recently seen client loses its count. */
const MAX_CLIENTS = 50_000;

/** The state of a client's limit after a request. */
export interface RateLimitState {
  isExceeded: boolean;
  /** Number of requests left in the window. */
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
}

interface Window {
  endsAt: number;
  used: number;
}

/**
 * Counts the requests of each client in windows of one minute. The maximum number of clients limits its
 * memory. Counting creates neither a promise nor a timer, because the service also counts responses that take
 * only microseconds.
 */
export class RateLimit {
  readonly perMinute: number;
  readonly #windows = new LRUCache<string, Window>({ max: MAX_CLIENTS });
  readonly #now: () => number;

  /** @param now returns the time of a monotonic clock, in milliseconds */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.perMinute = perMinute;
    this.#now = now;
  }

  /** Counts a request of `client`. @param cost the number of ordinary requests for which it counts */
  count(client: string, cost = 1): RateLimitState {
    const now = this.#now();
    let window = this.#windows.get(client);
    if (!window || window.endsAt <= now) {
      window = { endsAt: now + WINDOW_SECONDS * 1_000, used: 0 };
      this.#windows.set(client, window);
    }
    window.used += cost;
    return {
      isExceeded: window.used > this.perMinute,
      remaining: Math.max(this.perMinute - window.used, 0),
      resetSeconds: Math.ceil((window.endsAt - now) / 1_000),
    };
  }

  /**
   * Returns `RateLimit-Policy` and `RateLimit`, with alternating names and values.
   * draft-ietf-httpapi-ratelimit-headers-10 §3, §4.
   */
  headers({ remaining, resetSeconds }: RateLimitState): [string, string, string, string] {
    return [
      'RateLimit-Policy',
      `"client";q=${this.perMinute};w=${WINDOW_SECONDS}`,
      'RateLimit',
      `"client";r=${remaining};t=${resetSeconds}`,
    ];
  }
}

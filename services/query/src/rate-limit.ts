import { LRUCache } from 'lru-cache';

const WINDOW_SECONDS = 60;
/** So many clients are remembered; the one not seen for longest begins anew when there are more. */
const MAX_CLIENTS = 50_000;

/** What one more request leaves a client. */
export interface Quota {
  isExceeded: boolean;
  /** Requests that are left in the window, and seconds until it is over. */
  remaining: number;
  resetSeconds: number;
}

interface Window {
  endsAt: number;
  used: number;
}

/**
 * Counts each client's requests by windows of a minute. In memory that is bounded by the number of
 * clients, and without a promise or a timer a request, since it also stands before answers that take
 * microseconds.
 */
export class RateLimit {
  readonly perMinute: number;
  readonly #windows = new LRUCache<string, Window>({ max: MAX_CLIENTS });
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.perMinute = perMinute;
    this.#now = now;
  }

  /** Counts a request of `client`. */
  take(client: string): Quota {
    const now = this.#now();
    let window = this.#windows.get(client);
    if (!window || window.endsAt <= now) {
      window = { endsAt: now + WINDOW_SECONDS * 1_000, used: 0 };
      this.#windows.set(client, window);
    }
    window.used++;
    return {
      isExceeded: window.used > this.perMinute,
      remaining: Math.max(this.perMinute - window.used, 0),
      resetSeconds: Math.ceil((window.endsAt - now) / 1_000),
    };
  }

  /** `RateLimit-Policy` and `RateLimit`, name after value. draft-ietf-httpapi-ratelimit-headers-10 §3, §4. */
  headers({ remaining, resetSeconds }: Quota): [string, string, string, string] {
    return ['RateLimit-Policy', `"client";q=${this.perMinute};w=${WINDOW_SECONDS}`, 'RateLimit', `"client";r=${remaining};t=${resetSeconds}`];
  }
}

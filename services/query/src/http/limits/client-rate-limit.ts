import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Problem } from '../../contract/problem.ts';
import { clientAddress } from '../../headers/client-address.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

const NONE: readonly string[] = [];

/** The result of counting one request against its client's rate limit. */
interface CountedRequest {
  /** `RateLimit` and `RateLimit-Policy`, as alternating names and values. */
  headers: readonly string[];
  /** A refusal with status 429 if the client has exceeded its limit. */
  refusal: Problem | undefined;
}

/**
 * Counts a request against its client's rate limit.
 * @param headers the headers of the request. They are undefined for bytes that are not an HTTP request. Such
 * bytes count toward the limit of the connection's address.
 */
export type CountRequest = (socket: Socket, headers?: IncomingHttpHeaders) => CountedRequest;

/**
 * Finds the client that sent a request. The rate limit and the share of the exports belong to that client.
 */
export type ClientOf = (socket: Socket, headers: IncomingHttpHeaders) => string;

/** @param trustedProxies TRUSTED_PROXIES */
export const createClientOf =
  (trustedProxies: number): ClientOf =>
  (socket, headers) => {
    const forwarded = trustedProxies > 0 ? headers['x-forwarded-for'] : undefined;
    return clientAddress(socket.remoteAddress, forwarded?.toString(), trustedProxies);
  };

export interface RequestAccount {
  /** The client whose share of the service the request uses. */
  client: string;
  /**
   * Counts more than one request against the client's rate limit.
   * @throws Problem (429) if that exceeds the limit
   */
  charge(requests: number): void;
  /** Counts requests, but refuses only the client's next ones, because the current one is done. */
  settle(requests: number): void;
}

export type AccountOf = (request: IncomingMessage) => RequestAccount;

/** @param rateLimit undefined if there is no limit */
export const createAccounts =
  (rateLimit: RateLimit | undefined, clientOf: ClientOf, metrics: Metrics): AccountOf =>
  ({ socket, headers }) => {
    const client = clientOf(socket, headers);
    return {
      client,
      charge(requests) {
        const quota = requests > 0 ? rateLimit?.count(client, requests) : undefined;
        if (!rateLimit || !quota?.isExceeded) return;
        metrics.countRefusal('rate');
        throw tooManyRequests(rateLimit, quota);
      },
      settle(requests) {
        if (requests > 0) rateLimit?.count(client, requests);
      },
    };
  };

/** Creates the function that counts requests. @param rateLimit undefined if there is no limit */
export function createRequestCounter(
  rateLimit: RateLimit | undefined,
  clientOf: ClientOf,
  metrics: Metrics,
): CountRequest {
  if (!rateLimit) return () => ({ headers: NONE, refusal: undefined });
  return (socket, headers = {}) => {
    const quota = rateLimit.count(clientOf(socket, headers));
    if (quota.isExceeded) metrics.countRefusal('rate');
    return {
      headers: rateLimit.headers(quota),
      refusal: quota.isExceeded ? tooManyRequests(rateLimit, quota) : undefined,
    };
  };
}

/**
 * Creates a function that counts a refusal outside the request listener as a client request, for the rate
 * limit and the metrics.
 */
export function createRefusalCounter(countRequest: CountRequest, metrics: Metrics) {
  return (problem: Problem, socket: Socket, request?: IncomingMessage): Problem => {
    const { refusal = problem } = countRequest(socket, request?.headers);
    metrics.countResponse('none', refusal.status, 0);
    return refusal;
  };
}

/** RFC 6585 §4. */
const tooManyRequests = ({ perMinute }: RateLimit, { resetSeconds }: RateLimitState): Problem =>
  new Problem('too-many-requests', `A client may send ${perMinute} requests per minute.`, {
    headers: { 'Retry-After': String(resetSeconds) },
  });

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
 * Counts the requests of each client in windows of one minute. The maximum number of clients limits the
 * memory that the counts take. Counting creates neither a promise nor a timer, because the service also
 * counts responses that take only microseconds.
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

  /** Counts a request from `client`. @param cost the number of ordinary requests for which it counts */
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
   * Returns `RateLimit-Policy` and `RateLimit`, as alternating names and values.
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

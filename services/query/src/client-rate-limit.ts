import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clientAddress } from './client-address.ts';
import type { Metrics } from './metrics.ts';
import { Problem } from './problem.ts';
import type { Quota, RateLimit } from './rate-limit.ts';

const NONE: readonly string[] = [];

/** The effect of one more request on its client's rate limit. */
interface CountedRequest {
  /** `RateLimit` and `RateLimit-Policy`, name after value. */
  headers: readonly string[];
  /** 429 when the client has used up its requests. */
  refusal: Problem | undefined;
}

/**
 * Counts a request of the client behind `socket`.
 * @param headers of the request; bytes that are no HTTP request have none and count for the connection's address
 */
export type CountRequest = (socket: Socket, headers?: IncomingHttpHeaders) => CountedRequest;

/** @param rateLimit undefined = no limit */
export function createRequestCount(rateLimit: RateLimit | undefined, trustedProxies: number, metrics: Metrics): CountRequest {
  if (!rateLimit) return () => ({ headers: NONE, refusal: undefined });
  return (socket, headers = {}) => {
    const forwarded = trustedProxies > 0 ? headers['x-forwarded-for'] : undefined;
    const quota = rateLimit.take(clientAddress(socket.remoteAddress, forwarded?.toString(), trustedProxies));
    if (quota.isExceeded) metrics.turnedAway('rate');
    return { headers: rateLimit.headers(quota), refusal: quota.isExceeded ? tooManyRequests(rateLimit, quota) : undefined };
  };
}

/** Counts a refusal outside of the listener as the request of a client, for its rate limit and the metrics. */
export function createRefusalCount(countRequest: CountRequest, metrics: Metrics) {
  return (problem: Problem, socket: Socket, request?: IncomingMessage): Problem => {
    const { refusal = problem } = countRequest(socket, request?.headers);
    metrics.answered('none', refusal.status, 0);
    return refusal;
  };
}

/** RFC 6585 §4. */
const tooManyRequests = ({ perMinute }: RateLimit, { resetSeconds }: Quota): Problem =>
  new Problem(429, `A client may send ${perMinute} requests per minute.`, { headers: { 'Retry-After': String(resetSeconds) } });

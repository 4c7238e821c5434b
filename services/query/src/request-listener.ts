import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { clientAddress } from './client-address.ts';
import type { Metrics } from './metrics.ts';
import { COMMON_HEADERS, PROBLEM_TYPE, Problem } from './problem.ts';
import type { QuickAnswers } from './quick-answers.ts';
import type { Quota, RateLimit } from './rate-limit.ts';
import { givenRequestId } from './request-id.ts';

const NONE: readonly string[] = [];

export interface RequestListenerOptions {
  quick: QuickAnswers;
  /** Takes what has no quick answer. */
  app: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** undefined = no limit. */
  rateLimit: RateLimit | undefined;
  trustedProxies: number;
  metrics: Metrics;
}

/**
 * The order of the public interface: each client's quota, then the short way to an answer, then the
 * long one. An answer bears its client's request id; one that is made or refused, and so may be
 * logged, bears one of ours where the client gave none.
 */
export function createRequestListener({ quick, app, rateLimit, trustedProxies, metrics }: RequestListenerOptions): RequestListener {
  return (request, response) => {
    const id = givenRequestId(request.headers['x-request-id']);
    const named = id === undefined ? NONE : ['X-Request-Id', id];
    let more: readonly string[] = named;
    if (rateLimit) {
      const forwarded = trustedProxies > 0 ? request.headers['x-forwarded-for'] : undefined;
      const quota = rateLimit.take(clientAddress(request.socket.remoteAddress, forwarded?.toString(), trustedProxies));
      more = id === undefined ? rateLimit.headers(quota) : [...rateLimit.headers(quota), ...named];
      if (quota.isExceeded) {
        metrics.turnedAway('rate');
        metrics.answered('none', 429, 0);
        refuse(response, tooManyRequests(rateLimit, quota), more);
        return;
      }
    }
    if (quick.answer(request, response, more)) return;
    if (id === undefined) response.setHeader('X-Request-Id', randomUUID());
    for (let i = 0; i < more.length; i += 2) response.setHeader(more[i] ?? '', more[i + 1] ?? '');
    void app(request, response);
  };
}

/** RFC 6585 §4. */
const tooManyRequests = ({ perMinute }: RateLimit, { resetSeconds }: Quota): Problem =>
  new Problem(429, `No more than ${perMinute} requests a minute.`, { headers: { 'Retry-After': String(resetSeconds) } });

function refuse(response: ServerResponse, { status, headers, body }: Problem, more: readonly string[]): void {
  const all = {
    ...COMMON_HEADERS,
    'Cache-Control': 'no-store',
    'Content-Type': PROBLEM_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  response.writeHead(status, [...Object.entries(all).flat(), ...more]).end(body);
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Problem, problemResponse } from '../contract/problem.ts';
import { clientRequestId, hostHeaderError } from '../headers/request-headers.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { CacheFastPath } from './cache-fast-path.ts';
import type { FeedPath } from './feed-path.ts';
import type { CountRequest } from './limits/client-rate-limit.ts';

export interface RequestListenerOptions {
  fastPath: CacheFastPath;
  feedPath: FeedPath;
  /** Handles every request that neither path handles. */
  app: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  countRequest: CountRequest;
  metrics: Metrics;
  /** The result of `problemPages`. */
  problemPages: string;
}

/**
 * Creates a listener that checks the client's rate limit and the Host header. The listener then tries the
 * cache fast path and the path for ordinary pages, and otherwise calls the app. The response repeats the
 * client's request id. If the client sent no id, every response except one from the cache fast path has a new
 * id, because the log may contain the request.
 */
export function createRequestListener({
  fastPath,
  feedPath,
  app,
  countRequest,
  metrics,
  problemPages,
}: RequestListenerOptions): RequestListener {
  return (request, response) => {
    const id = clientRequestId(request.headers['x-request-id']);
    const counted = countRequest(request.socket, request.headers);
    const more = id === undefined ? counted.headers : [...counted.headers, 'X-Request-Id', id];
    const refusal = counted.refusal ?? hostRefusal(request);
    if (refusal) {
      metrics.countResponse('none', refusal.status, 0);
      refuse(response, refusal, problemPages, more);
      return;
    }
    if (fastPath.respond(request, response, more)) return;
    const known = id ?? randomUUID();
    const all = id === undefined ? ['X-Request-Id', known, ...more] : more;
    if (feedPath(request, response, all, known)) return;
    for (let i = 0; i < all.length; i += 2) response.setHeader(all[i] ?? '', all[i + 1] ?? '');
    void app(request, response);
  };
}

function hostRefusal(request: IncomingMessage): Problem | undefined {
  const fault = hostHeaderError(request);
  return fault === undefined ? undefined : new Problem('malformed-request', fault);
}

function refuse(response: ServerResponse, problem: Problem, pages: string, more: readonly string[]): void {
  const { headers, body } = problemResponse(problem, pages);
  response.writeHead(problem.status, [...Object.entries(headers).flat(), ...more]).end(body);
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Problem, problemHeaders } from '../contract/problem.ts';
import { clientRequestId, hostHeaderError } from '../headers/request-headers.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { CacheFastPath } from './cache-fast-path.ts';
import type { CountRequest } from './client-rate-limit.ts';

export interface RequestListenerOptions {
  fastPath: CacheFastPath;
  /** Handles every request that the fast path does not handle. */
  app: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  countRequest: CountRequest;
  metrics: Metrics;
}

/**
 * Creates a listener that checks the client's rate limit and the Host header, then tries the cache fast path,
 * and otherwise calls the app. The response repeats the client's request id. If the client sent no id, the
 * app adds a new one because the log may contain the request.
 */
export function createRequestListener({
  fastPath,
  app,
  countRequest,
  metrics,
}: RequestListenerOptions): RequestListener {
  return (request, response) => {
    const id = clientRequestId(request.headers['x-request-id']);
    const counted = countRequest(request.socket, request.headers);
    const more = id === undefined ? counted.headers : [...counted.headers, 'X-Request-Id', id];
    const refusal = counted.refusal ?? hostRefusal(request);
    if (refusal) {
      metrics.countResponse('none', refusal.status, 0);
      refuse(response, refusal, more);
      return;
    }
    if (fastPath.respond(request, response, more)) return;
    if (id === undefined) response.setHeader('X-Request-Id', randomUUID());
    for (let i = 0; i < more.length; i += 2) response.setHeader(more[i] ?? '', more[i + 1] ?? '');
    void app(request, response);
  };
}

function hostRefusal(request: IncomingMessage): Problem | undefined {
  const fault = hostHeaderError(request);
  return fault === undefined ? undefined : new Problem(400, fault);
}

function refuse(response: ServerResponse, problem: Problem, more: readonly string[]): void {
  const headers = Object.entries(problemHeaders(problem)).flat();
  response.writeHead(problem.status, [...headers, ...more]).end(problem.body);
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '@vitrine/runtime/log';
import type { CacheOutcome } from '../cache/page-cache.ts';
import { Problem } from '../contract/problem.ts';
import { ChangesMissing } from '../search/changes/changes-view.ts';
import { FieldsMissing } from '../search/live/live-fields.ts';
import { type FailureKind, type FailureLog, failureKind } from '../telemetry/failure-log.ts';
import { CLIENT_DISCONNECTED, type Metrics } from '../telemetry/metrics.ts';

/** This is a guess, because the service cannot know when an outage or an overload will end. */
export const RETRY_AFTER_SECONDS = 5;

/** A request and its response, with or without Koa. */
interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

/** The facts that the log contains about a request. */
interface LoggedRequest {
  requestId: string;
  /** As written in the request line. */
  url: string;
}

interface Handled extends LoggedRequest {
  operation: string | undefined;
  status: number;
  /** When the request began, in milliseconds of `performance.now()`. */
  start: number;
  cache: CacheOutcome | undefined;
}

/** Counts and logs the requests that the cache fast path did not answer. */
export interface RequestOutcomes {
  /** Counts a handled request. Call it before the response is sent, unless the route has already sent it. */
  handled(exchange: Exchange, request: Handled): void;
  /**
   * Counts and logs a failure.
   * @returns the problem for the client, or undefined if the client has disconnected
   */
  failed(exchange: Exchange, error: unknown, request: LoggedRequest): Problem | undefined;
}

export function createRequestOutcomes(metrics: Metrics, log: Log, failures: FailureLog): RequestOutcomes {
  return {
    handled({ req, res }, { operation = 'none', status: intended, start, cache, requestId, url }) {
      const seconds = (performance.now() - start) / 1000;
      const isUndelivered = !res.writableEnded && isDisconnected({ req, res });
      const status = isUndelivered ? CLIENT_DISCONNECTED : intended;
      metrics.countResponse(operation, status, seconds, cache);
      log.debug({ requestId, method: req.method, url, status, seconds }, 'request');
    },
    failed(exchange, error, request) {
      const kind = failureKind(error);
      if (kind === 'overload') metrics.countRefusal('overload');
      if (isDisconnected(exchange)) return undefined;
      const problem = error instanceof Problem ? error : problemOf(kind, error);
      if (problem.status >= 500) failures.requestFailed(error, request);
      log.debug({ err: error, ...request, status: problem.status }, 'request refused');
      return problem;
    },
  };
}

/**
 * Returns whether a response can no longer be sent. The function also checks the request's socket, because a
 * pipelined response has no socket until its turn.
 */
export const isDisconnected = ({ req, res }: Exchange): boolean =>
  res.writableEnded || res.socket?.writable === false || !req.socket.writable;

function problemOf(kind: FailureKind, error: unknown): Problem {
  const retryLater = { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } };
  if (error instanceof ChangesMissing)
    return new Problem(
      'rebuild-needed',
      'Changes are available after the next `replay` and `switch`.',
      retryLater,
    );
  if (error instanceof FieldsMissing)
    return new Problem(
      'rebuild-needed',
      'The index does not yet have the fields that this filter or order needs. An operator builds them with ' +
        '`replay --from states`, `verify` and `switch`.',
      retryLater,
    );
  switch (kind) {
    case 'outage':
      return new Problem('unavailable', 'The feed is temporarily unavailable.', retryLater);
    case 'overload':
      return new Problem('overloaded', 'The service is handling too many requests.', retryLater);
    case 'fault':
      return new Problem('internal-error', 'The service could not process this request.');
  }
}

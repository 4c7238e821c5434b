import type { Log } from '@vitrine/runtime/log';
import { Abandoned } from '../cache/single-flight.ts';
import { FeedUnavailable } from '../search/search-failure.ts';
import { Overloaded } from '../search/search-limiter.ts';
import { FailureEpisode } from './failure-episode.ts';

const CHECK_EVERY_MS = 1_000;
/** Maximum length of a URL or a reason in a log line. A request URL can have 8 KiB. */
const MAX_TEXT_LENGTH = 1_000;

/** A failed request in a log line. */
interface FailedRequest {
  requestId: string;
  url: string;
}

interface Failure extends Partial<FailedRequest> {
  err: unknown;
}

/**
 * The Elasticsearch client adds both addresses of a broken connection to its message. The port is always
 * different, so every reason would be unique.
 */
const CONNECTION_ENDS = / - Local: .*$/s;
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(CONNECTION_ENDS, '');

/** Logs the failures of a service, with a limited number of lines per minute. */
export interface FailureLog {
  /** Records a request that receives a 5xx response. */
  requestFailed(error: unknown, request: FailedRequest): void;
  /**
   * Records a failure that no client sees: a failed readiness probe, or a failed refresh of a cached page.
   */
  backgroundFailed(error: unknown): void;
  /** Writes the summaries that are due. A timer calls this once per second. */
  check(): void;
  /** Writes the last summaries. The log ignores all later failures. */
  stop(): void;
}

/**
 * Creates a log that writes a line when an outage, an overload or a fault begins, every 30 s while it
 * continues, and when it has ended. The lines contain the number of failed requests so far. The log also
 * contains the stack trace of each distinct fault once. See docs/operate/observability.md#logs.
 * @param now returns the time of a monotonic clock, in milliseconds
 */
export function createFailureLog(log: Pick<Log, 'warn' | 'error'>, now?: () => number): FailureLog {
  const episodes: Record<FailureKind, FailureEpisode> = {
    outage: new FailureEpisode(now),
    overload: new FailureEpisode(now),
    fault: new FailureEpisode(now),
  };
  let lastFault: Failure | undefined;
  let isStopped = false;

  const add = (error: unknown, requests: 0 | 1, request?: FailedRequest) => {
    if (isStopped) return;
    const kind = failureKind(error);
    const reason = reasonOf(error);
    const news = episodes[kind].failed(reason, requests);
    const named = request && { ...request, url: request.url.slice(0, MAX_TEXT_LENGTH) };
    if (kind === 'fault') {
      lastFault = { err: error, ...named };
      if (news !== 'known') log.error(lastFault, requests ? 'request failed' : 'background work failed');
    } else if (news === 'first')
      log.warn({ reason: reason.slice(0, MAX_TEXT_LENGTH), ...named }, `${kind} began`);
  };
  const write = (kind: FailureKind, line: object, message: string) =>
    log[kind === 'fault' ? 'error' : 'warn'](line, message);
  const each = (act: (kind: FailureKind, episode: FailureEpisode) => void) => {
    for (const [kind, episode] of Object.entries(episodes)) act(kind as FailureKind, episode);
  };
  const check = () =>
    each((kind, episode) => {
      const line = episode.due();
      // A fault can last for days, so its stack trace must also be in the newest part of a rotated log.
      const example = kind === 'fault' && line?.state === 'continues' ? lastFault : undefined;
      if (line) write(kind, { ...line.summary, ...example }, `${kind} ${line.state}`);
    });
  const timer = setInterval(check, CHECK_EVERY_MS).unref();

  return {
    requestFailed: (error, request) => add(error, 1, request),
    backgroundFailed: (error) => add(error, 0),
    check,
    stop() {
      clearInterval(timer);
      isStopped = true;
      each((kind, episode) => {
        const summary = episode.close();
        if (summary) write(kind, summary, `${kind} continues while the service is stopping`);
      });
    },
  };
}

/**
 * The reason why the service cannot make a page. `outage`: Elasticsearch returns no complete response in
 * time, or the service stops before an export begins. `overload`: the service is at capacity. `fault`: an
 * error in the service itself.
 */
export type FailureKind = 'outage' | 'overload' | 'fault';

/** Returns the kind of an error that is not a refusal of the request. */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof FeedUnavailable || error instanceof Abandoned) return 'outage';
  return error instanceof Overloaded ? 'overload' : 'fault';
}

import type { Log } from '@vitrine/runtime/log';
import type { Readiness } from '@vitrine/runtime/service';
import type { FeedSearch } from '../search/feed-search.ts';

const PROBE_EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 3_000;
/** If a deployment starts all services together, some seconds pass before the feed's index exists. */
const ORDINARY_START_MS = 30_000;

export interface ReadinessProbe {
  state(): Readiness;
  stop(): void;
}

export interface ReadinessOptions {
  /** Milliseconds between two probes. */
  everyMs?: number;
  /** Returns the time of a monotonic clock, in milliseconds. */
  now?: () => number;
}

/**
 * Searches the feed about once per second. The service is ready if the latest search succeeded, and always
 * unready after `stop`. Logs a failure of the first search, a warning if no search succeeds within 30 s, and
 * the first success. Later failures go to `onFailure`, because a flapping state would flood the log.
 */
export function probeReadiness(
  search: Pick<FeedSearch, 'probe'>,
  log: Pick<Log, 'info' | 'warn'>,
  onFailure: (error: unknown) => void,
  { everyMs = PROBE_EVERY_MS, now = () => performance.now() }: ReadinessOptions = {},
): ReadinessProbe {
  let state: Readiness = { ready: false, reasons: ['no search of the feed has completed yet'] };
  let logged: 'nothing' | 'unready' | 'warned' | 'ready' = 'nothing';
  let timer: NodeJS.Timeout | undefined;
  const startedAt = now();
  const stopping = new AbortController();
  const logStart = () => {
    if (state.ready) {
      log.info(state, 'ready');
      logged = 'ready';
    } else if (logged !== 'warned' && now() - startedAt >= ORDINARY_START_MS) {
      log.warn(state, 'not ready');
      logged = 'warned';
    } else if (logged === 'nothing') {
      log.info(state, 'not ready');
      logged = 'unready';
    }
  };
  const probe = async () => {
    const failure = await search
      .probe(AbortSignal.any([stopping.signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]))
      .then(
        () => undefined,
        (error: Error) => error,
      );
    if (stopping.signal.aborted) return;
    state = failure ? { ready: false, reasons: [failure.message] } : { ready: true, reasons: [] };
    if (logged !== 'ready') logStart();
    else if (failure) onFailure(failure);
    timer = setTimeout(probe, everyMs).unref();
  };
  void probe();
  return {
    state: () => state,
    stop() {
      stopping.abort();
      clearTimeout(timer);
      state = { ready: false, reasons: ['the service is stopping'] };
    },
  };
}

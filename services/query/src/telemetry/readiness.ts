import type { Log, Readiness } from '@vitrine/runtime';
import type { FeedSearch } from '../search/feed-search.ts';

const PROBE_EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 3_000;

const NOT_YET = ['the feed has not been searched yet'];

export interface ReadinessProbe {
  state(): Readiness;
  stop(): void;
}

/**
 * Probes about once per second whether the feed can be searched. Unready until the first successful probe,
 * and after `stop`. Logs a failure of the first probe, and the first success. Later failures go to
 * `onFailure`, because a flapping state would flood the log.
 * @param everyMs milliseconds between two probes
 */
export function probeReadiness(
  search: Pick<FeedSearch, 'probe'>,
  log: Pick<Log, 'info' | 'warn'>,
  onFailure: (error: unknown) => void,
  everyMs = PROBE_EVERY_MS,
): ReadinessProbe {
  let state: Readiness = { ready: false, reasons: NOT_YET };
  let wasReady = false;
  let timer: NodeJS.Timeout | undefined;
  const stopping = new AbortController();
  const probe = async () => {
    const failure = await search.probe(AbortSignal.any([stopping.signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)])).then(
      () => undefined,
      (error: Error) => error,
    );
    if (stopping.signal.aborted) return;
    const before = state;
    state = failure ? { ready: false, reasons: [failure.message] } : { ready: true, reasons: [] };
    if (failure && wasReady) onFailure(failure);
    else if (failure && before.reasons === NOT_YET) log.warn(state, 'not ready');
    else if (!failure && !wasReady) log.info(state, 'ready');
    wasReady ||= state.ready;
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

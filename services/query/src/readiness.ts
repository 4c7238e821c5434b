import type { Log, Readiness } from '@vitrine/runtime';
import type { FeedSearch } from './feed-search.ts';

const PROBE_EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 3_000;

const NOT_YET = ['the feed has not been searched yet'];

export interface ReadinessProbe {
  state(): Readiness;
  stop(): void;
}

/** Asks about once a second whether the feed can be searched; unready until the first answer, and again once stopped. Logs each change. */
export function probeReadiness(search: FeedSearch, log: Log): ReadinessProbe {
  let state: Readiness = { ready: false, reasons: NOT_YET };
  let timer: NodeJS.Timeout | undefined;
  const stopping = new AbortController();
  const probe = async () => {
    const result = await search.probe(AbortSignal.any([stopping.signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)])).then(
      () => ({ ready: true, reasons: [] }),
      (error: Error) => ({ ready: false, reasons: [error.message] }),
    );
    if (stopping.signal.aborted) return;
    if (result.ready !== state.ready || state.reasons === NOT_YET) log[result.ready ? 'info' : 'warn'](result, result.ready ? 'ready' : 'not ready');
    state = result;
    timer = setTimeout(probe, PROBE_EVERY_MS).unref();
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

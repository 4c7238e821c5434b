import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../checks/ledger.ts';
import type { FaultWindow } from '../plan/windows.ts';

/** A search for one item takes a few milliseconds. The query service waits for 5 s. */
const STARVED_AFTER_MS = 2_000;
const PROBE_EVERY_MS = 500;

/**
 * Searches for one item repeatedly, directly in Elasticsearch. While such a search takes longer than 2 s, the
 * machine leaves Elasticsearch no CPU time, and the ledger has a window of `starved-machine`. A refresh or a
 * search that is slow by itself opens no window.
 * @param probe the search
 */
export async function watchStarvation(
  probe: () => Promise<unknown>,
  ledger: Pick<Ledger, 'open' | 'close'>,
  signal: AbortSignal,
  { starvedAfterMs = STARVED_AFTER_MS, everyMs = PROBE_EVERY_MS } = {},
): Promise<void> {
  let window: FaultWindow | undefined;
  while (!signal.aborted) {
    let isSlow = false;
    const begunAt = performance.now();
    const timer = setTimeout(() => {
      isSlow = true;
      window ??= ledger.open('starved-machine', 0, performance.now() - begunAt);
    }, starvedAfterMs);
    // A fault of Elasticsearch has a window of its own.
    await probe().catch(() => undefined);
    clearTimeout(timer);
    if (window && !isSlow) {
      ledger.close(window);
      window = undefined;
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  if (window) ledger.close(window);
}

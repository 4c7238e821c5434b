import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from './elasticsearch-unavailable.ts';

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;

/**
 * Runs `work` and retries it without a limit while Elasticsearch is unavailable, with growing waits of up to
 * 5 s.
 * @param onUnavailable called before each wait
 * @throws other errors of `work`, and the last error after the signal aborts
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onUnavailable: (error: Error) => void,
): Promise<T> {
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || signal.aborted) throw error;
      onUnavailable(error);
      await sleep(wait, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}

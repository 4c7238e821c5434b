import { setTimeout as sleep } from 'node:timers/promises';
import { failureReason } from '@vitrine/runtime/elasticsearch';
import { isRetryable } from './elasticsearch-unavailable.ts';

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;

/**
 * Runs `work`, and retries without limit while Elasticsearch is unavailable. Waits up to 5 s between
 * attempts.
 * @param onUnavailable called with a description of the error before each wait
 * @throws all other errors of `work`; the last error if the signal aborts
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onUnavailable: (reason: string) => void,
): Promise<T> {
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || signal.aborted) throw error;
      onUnavailable(failureReason(error));
      await sleep(wait, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';
import type { Log } from '@vitrine/runtime';
import { ElasticsearchUnavailableError } from './bulk-writer.ts';

const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5_000;

/**
 * Runs `work` and retries it without a limit while Elasticsearch is unavailable.
 * @throws other errors of `work`, and the last error after the signal aborts
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>, log: Log, signal: AbortSignal): Promise<T> {
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isTrouble(error) || signal.aborted) throw error;
      log.warn({ reason: error.message }, 'Elasticsearch is unavailable: retrying');
    }
    await sleep(wait, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Whether there was no response, or one that says that the cluster is unavailable. A bad request is not
 * retryable.
 */
function isTrouble(error: unknown): error is Error {
  if (error instanceof errors.ResponseError) return error.statusCode === 429 || (error.statusCode ?? 0) >= 500;
  return error instanceof ElasticsearchUnavailableError || error instanceof errors.ElasticsearchClientError;
}

import { retryWhileElasticsearchUnavailable } from '@vitrine/projection/store';
import type { Log } from '@vitrine/runtime/log';

/**
 * Retries a step of a replay while Elasticsearch is unavailable.
 * @throws see `retryWhileElasticsearchUnavailable`
 */
export const retryAndLog = <T>(work: () => Promise<T>, log: Log, signal: AbortSignal): Promise<T> =>
  retryWhileElasticsearchUnavailable(work, signal, (reason) =>
    log.warn({ reason }, 'Elasticsearch is unavailable; the replay is retrying its last step'),
  );

import { retryWhileUnavailable } from '@vitrine/projection/store';
import type { Log } from '@vitrine/runtime/log';

/** Retries a step of a replay while Elasticsearch is unavailable. @throws see `retryWhileUnavailable` */
export const retryAndLog = <T>(work: () => Promise<T>, log: Log, signal: AbortSignal): Promise<T> =>
  retryWhileUnavailable(work, signal, (reason) =>
    log.warn({ reason }, 'Elasticsearch is unavailable; the replay is retrying its last step'),
  );

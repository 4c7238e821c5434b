import { FeedUnavailable } from './search-failure.ts';

/**
 * Waits for `work` until `signal` aborts. After an abort, `work` continues for other readers.
 * @throws FeedUnavailable if `signal` aborts first; any error of `work`
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new FeedUnavailable('given up'));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

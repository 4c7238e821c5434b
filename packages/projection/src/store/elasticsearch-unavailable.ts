import { errors } from '@elastic/elasticsearch';
import { failureReason } from '@vitrine/runtime/elasticsearch';
import { retryWhileUnavailable } from '../progress/retry-while-unavailable.ts';

/** The error for a request that Elasticsearch cannot process now. The same request can succeed later. */
export class ElasticsearchUnavailableError extends Error {
  override readonly name = 'ElasticsearchUnavailableError';
}

/**
 * An error is retryable if there was no response, or if the response reports a problem with the cluster and
 * not with the request (429, 5xx). `writeBulk` converts the outcome `unavailable` to an
 * ElasticsearchUnavailableError.
 */
export function isRetryable(error: unknown): error is Error {
  if (error instanceof errors.ResponseError)
    return error.statusCode === 429 || (error.statusCode ?? 0) >= 500;
  return error instanceof ElasticsearchUnavailableError || error instanceof errors.ElasticsearchClientError;
}

/** Whether Elasticsearch or a proxy in front of it refused a request because of its size. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof errors.ResponseError && error.statusCode === 413;

/**
 * Runs `work`, and retries without limit while Elasticsearch is unavailable.
 * @param onUnavailable receives a description of the error before each wait
 * @throws all other errors from `work`; the last error if the signal aborts
 */
export const retryWhileElasticsearchUnavailable = <T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onUnavailable: (reason: string) => void,
): Promise<T> =>
  retryWhileUnavailable(work, signal, {
    isRetryable,
    onUnavailable: (error) => onUnavailable(failureReason(error)),
  });

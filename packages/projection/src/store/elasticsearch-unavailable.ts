import { errors } from '@elastic/elasticsearch';

/** Elasticsearch cannot process the request now. The same request can succeed later. */
export class ElasticsearchUnavailableError extends Error {
  override readonly name = 'ElasticsearchUnavailableError';
}

/**
 * The definition of "retryable": no response, or a response that concerns the cluster and not the request
 * (429, 5xx). The outcome `unavailable` of a bulk entry becomes an ElasticsearchUnavailableError.
 */
export function isRetryable(error: unknown): error is Error {
  if (error instanceof errors.ResponseError)
    return error.statusCode === 429 || (error.statusCode ?? 0) >= 500;
  return error instanceof ElasticsearchUnavailableError || error instanceof errors.ElasticsearchClientError;
}

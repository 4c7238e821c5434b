import { type Client, errors } from '@elastic/elasticsearch';
import { Histogram, type Registry } from 'prom-client';

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/**
 * Measures every request of the client in `registry`: `elasticsearch_request_duration_seconds` by operation
 * and outcome. The measurement of a streamed response ends with its headers.
 */
export function measureElasticsearch(client: Client, registry: Registry): void {
  const duration = new Histogram({
    name: 'elasticsearch_request_duration_seconds',
    help: 'Requests to Elasticsearch, with every attempt counted separately',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  });
  client.diagnostic.on('response', (error, result) => {
    if (result?.meta.duration === undefined) return;
    const operation = operationOf(result.meta.request.params.path);
    duration.observe(
      { operation, outcome: outcomeOf(error, result.statusCode) },
      result.meta.duration / 1_000,
    );
  });
}

/** The API of a path: `search`, `bulk`, `mget`, `doc`, `alias` …; `index` for a bare index. */
export const operationOf = (path: string): string => /\/_([a-z]+)/.exec(path)?.[1] ?? 'index';

/** `2xx`, `4xx`, `5xx`, or without a response: `timeout`, `aborted` (by the service), `unreachable`. */
function outcomeOf(error: unknown, status: number | undefined): string {
  if (error instanceof errors.TimeoutError) return 'timeout';
  if (error instanceof errors.RequestAbortedError) return 'aborted';
  return status ? `${Math.floor(status / 100)}xx` : 'unreachable';
}

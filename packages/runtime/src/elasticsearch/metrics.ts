import { type Client, errors } from '@elastic/elasticsearch';
import { Histogram, type Registry } from 'prom-client';

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/**
 * Measures every request from the client with the histogram `elasticsearch_request_duration_seconds`, by
 * operation and outcome. The measurement of a streamed response ends when its headers arrive.
 */
export function measureElasticsearch(client: Client, registry: Registry): void {
  const duration = new Histogram({
    name: 'elasticsearch_request_duration_seconds',
    help: 'Duration of requests to Elasticsearch; each retry counts as a request',
    labelNames: ['operation', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  });
  // Finding a series by its labels costs more than counting, so this code finds each series only once.
  const series = new Map<string, Histogram.Internal<'operation' | 'outcome'>>();
  client.diagnostic.on('response', (error, result) => {
    if (result?.meta.duration === undefined) return;
    const operation = operationOf(result.meta.request.params.path);
    const outcome = outcomeOf(error, result.statusCode);
    const name = `${operation} ${outcome}`;
    const found = series.get(name) ?? duration.labels({ operation, outcome });
    series.set(name, found);
    found.observe(result.meta.duration / 1_000);
  });
}

/**
 * Returns the API that a path names: `search`, `bulk`, `mget`, `doc`, `alias` …, or `index` if the path names
 * only an index.
 */
export const operationOf = (path: string): string => /\/_([a-z]+)/.exec(path)?.[1] ?? 'index';

/**
 * Returns `2xx`, `4xx` or `5xx`. If there was no response, returns `timeout`, `aborted` (by the service) or
 * `unreachable`.
 */
function outcomeOf(error: unknown, status: number | undefined): string {
  if (error instanceof errors.TimeoutError) return 'timeout';
  if (error instanceof errors.RequestAbortedError) return 'aborted';
  return status ? `${Math.floor(status / 100)}xx` : 'unreachable';
}

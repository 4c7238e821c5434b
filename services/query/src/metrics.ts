import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  requests: Counter<'operation' | 'status'>;
  requestDuration: Histogram<'operation'>;
  searchDuration: Histogram;
}

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The service's metrics, in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requests: new Counter({ name: 'http_requests_total', help: 'Answered requests', labelNames: ['operation', 'status'], registers }),
    requestDuration: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'From the request to its answer',
      labelNames: ['operation'],
      buckets: SECONDS,
      registers,
    }),
    searchDuration: new Histogram({
      name: 'elasticsearch_search_duration_seconds',
      help: 'The searches of one page, answered or not',
      buckets: SECONDS,
      registers,
    }),
  };
}

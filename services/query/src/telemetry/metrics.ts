import { type Aggregator, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CacheOutcome } from '../cache/page-cache.ts';

/**
 * The status that nginx uses for a client that disconnected before it received the response. This status also
 * stands for an export that was broken off. A complete export has already ended its response.
 */
export const CLIENT_DISCONNECTED = 499;

export interface Metrics {
  registry: Registry;
  /** Counts a response and its duration. @param cache how the request obtained its page */
  countResponse(operation: string, status: number, seconds: number, cache?: CacheOutcome | 'none'): void;
  searchDuration: Histogram;
  /** Counts how a request obtained its page. */
  countCacheRead(outcome: CacheOutcome): void;
  /** Counts a refused request, or a refused or closed connection. */
  countRefusal(reason: 'rate' | 'overload' | 'connections' | 'pipelining' | 'slow'): void;
  /** The duration of each tool call in seconds, by `tool` and `outcome`. */
  toolDuration: Histogram<'tool' | 'outcome'>;
  countExport(outcome: ExportOutcome): void;
  /** Registers a gauge that calls `read` at each collection to get its value. */
  watch(name: WatchedName, read: () => number): void;
}

/**
 * How an export ended. `refused`: EXPORT_CONCURRENCY was reached. `stalled`: the client stopped reading.
 * `stopped`: the service is stopping. `failed`: the service broke the transfer off for another reason.
 */
const EXPORT_OUTCOMES = [
  'complete',
  'refused',
  'over_share',
  'stalled',
  'disconnected',
  'stopped',
  'failed',
] as const;
export type ExportOutcome = (typeof EXPORT_OUTCOMES)[number];

interface Watched {
  help: string;
  aggregator: Aggregator;
  labels?: Record<string, string>;
}

const WATCHED = {
  exports_running: { help: 'Exports that are being sent', aggregator: 'sum' },
  page_cache_bytes: { help: 'Bytes of cached pages', aggregator: 'sum' },
  searches_running: { help: 'Searches in progress in Elasticsearch', aggregator: 'sum' },
  searches_waiting: { help: 'Pages and searches that wait for a slot in a limiter', aggregator: 'sum' },
  service_ready: {
    help: 'Result of /health/ready: 1 = ready',
    aggregator: 'omit',
    labels: { service: 'query' },
  },
  event_loop_delay_seconds: { help: 'Average event-loop delay in the last half second', aggregator: 'max' },
} as const satisfies Record<string, Watched>;
type WatchedName = keyof typeof WATCHED;

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the metrics of the service in a separate registry. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  /**
   * Response counts, which each collection copies into the counter. Finding the counter's series is the
   * largest cost of counting a response.
   */
  const counts: { labels: { operation: string; status: number; cache: string }; responses: number }[] = [];
  new Counter({
    name: 'http_requests_total',
    help: 'Completed requests',
    labelNames: ['operation', 'status', 'cache'],
    registers,
    collect() {
      this.reset();
      for (const { labels, responses } of counts) this.inc(labels, responses);
    },
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration from request to response',
    labelNames: ['operation', 'cache'],
    buckets: SECONDS,
    registers,
  });
  const reads = new Counter({
    name: 'page_cache_reads_total',
    help: 'Served pages, by cache outcome',
    labelNames: ['outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'turned_away_total',
    help: 'Refused requests, and refused or closed connections',
    labelNames: ['reason'],
    registers,
  });
  const exported = new Counter({
    name: 'exports_total',
    help: 'Exports, by how they ended',
    labelNames: ['outcome'],
    registers,
  });
  // An alert on the increase needs a value from before the first failed export.
  for (const outcome of EXPORT_OUTCOMES) exported.inc({ outcome }, 0);
  // Finding a series by its labels costs more than counting, so this code finds each series once.
  const seriesOf = memoized((operation: string) =>
    memoized((cache: CacheOutcome | 'none') => ({
      duration: duration.labels({ operation, cache }),
      countOf: memoized((status: number) => {
        const count = { labels: { operation, status, cache }, responses: 0 };
        counts.push(count);
        return count;
      }),
    })),
  );
  const readsOf = memoized((outcome: CacheOutcome) => reads.labels({ outcome }));
  return {
    registry,
    countResponse(operation, status, seconds, cache = 'none') {
      const series = seriesOf(operation)(cache);
      series.countOf(status).responses++;
      series.duration.observe(seconds);
    },
    searchDuration: new Histogram({
      name: 'elasticsearch_search_duration_seconds',
      help: 'Duration of the searches of one page, successful or not',
      buckets: SECONDS,
      registers,
    }),
    toolDuration: new Histogram({
      name: 'agent_tool_duration_seconds',
      help: "Duration of agents' tool calls, by how they ended",
      labelNames: ['tool', 'outcome'],
      buckets: SECONDS,
      registers,
    }),
    countCacheRead: (outcome) => readsOf(outcome).inc(),
    countExport: (outcome) => exported.inc({ outcome }),
    countRefusal: (reason) => refusals.inc({ reason }),
    watch(name, read) {
      const { labels = {}, ...config }: Watched = WATCHED[name];
      new Gauge({
        name,
        ...config,
        labelNames: Object.keys(labels),
        registers,
        collect() {
          this.set(labels, read());
        },
      });
    },
  };
}

function memoized<K, T>(make: (name: K) => T): (name: K) => T {
  const made = new Map<K, T>();
  return (name) => {
    let known = made.get(name);
    if (known === undefined) {
      known = make(name);
      made.set(name, known);
    }
    return known;
  };
}

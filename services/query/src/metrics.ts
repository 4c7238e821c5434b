import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Outcome } from './page-cache.ts';

export interface Metrics {
  registry: Registry;
  /** Counts an answer and its time; `cache` = how it came to its page, where it has one. */
  answered(operation: string, status: number, seconds: number, cache?: Outcome | 'none'): void;
  searchDuration: Histogram;
  /** Counts how a request came to its page. */
  pageRead(outcome: Outcome): void;
  /** Counts a request or connection that was turned away. */
  turnedAway(reason: 'rate' | 'overload' | 'connections' | 'pipelining' | 'slow'): void;
  /** Has `read` asked for the value whenever metrics are collected. */
  watch(name: WatchedName, read: () => number): void;
}

const WATCHED = {
  page_cache_bytes: { help: 'Bytes of finished pages that are kept', aggregator: 'sum' },
  searches_running: { help: 'Searches that Elasticsearch works on', aggregator: 'sum' },
  searches_waiting: { help: 'Pages and searches that wait for a place in the limiter', aggregator: 'sum' },
  service_ready: { help: 'What /health/ready says: 1 = ready', aggregator: 'omit' },
  event_loop_delay_seconds: { help: 'How late the event loop was on average, lately', aggregator: 'max' },
} as const;
type WatchedName = keyof typeof WATCHED;

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The service's metrics, in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  /** Told to the counter when it is collected: to find a series costs more than all else that is done to count an answer. */
  const counts: { labels: { operation: string; status: number; cache: string }; answers: number }[] = [];
  new Counter({
    name: 'http_requests_total',
    help: 'Answered requests',
    labelNames: ['operation', 'status', 'cache'],
    registers,
    collect() {
      this.reset();
      for (const { labels, answers } of counts) this.inc(labels, answers);
    },
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the request to its answer',
    labelNames: ['operation', 'cache'],
    buckets: SECONDS,
    registers,
  });
  const reads = new Counter({ name: 'page_cache_reads_total', help: 'How requests came to their page', labelNames: ['outcome'], registers });
  const refusals = new Counter({ name: 'turned_away_total', help: 'Requests and connections refused or cut', labelNames: ['reason'], registers });
  // To look labels up costs more than to count.
  const answersOf = memoized((operation: string) =>
    memoized((cache: Outcome | 'none') => ({
      duration: duration.labels({ operation, cache }),
      countOf: memoized((status: number) => {
        const count = { labels: { operation, status, cache }, answers: 0 };
        counts.push(count);
        return count;
      }),
    })),
  );
  const readsOf = memoized((outcome: Outcome) => reads.labels({ outcome }));
  return {
    registry,
    answered(operation, status, seconds, cache = 'none') {
      const answers = answersOf(operation)(cache);
      answers.countOf(status).answers++;
      answers.duration.observe(seconds);
    },
    searchDuration: new Histogram({
      name: 'elasticsearch_search_duration_seconds',
      help: 'The searches of one page, answered or not',
      buckets: SECONDS,
      registers,
    }),
    pageRead: (outcome) => readsOf(outcome).inc(),
    turnedAway: (reason) => refusals.inc({ reason }),
    watch(name, read) {
      new Gauge({
        name,
        ...WATCHED[name],
        registers,
        collect() {
          this.set(read());
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

import { itemsAlias } from '@vitrine/feed-index';
import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { get, type HttpRequest, post } from '../http-connection.ts';
import type { LoadResult } from '../load.ts';
import { leanSearchOf, rawSearch, searchOf } from '../peers/raw-search.ts';
import { cpuSeconds } from '../process-figures.ts';
import { criteriaOf, queryKind, targetOf } from '../query-kinds.ts';
import { compared, isMet } from '../results.ts';
import { alternate, median, medianOf, rounded } from '../statistics.ts';
import type { Subject } from '../subjects.ts';

const CONNECTIONS = 32;
const SECONDS = 4;
const WARM_UP_SECONDS = 3;
/** Enough requests for the JIT compilers to compile the code of each service, even on a busy machine. */
const WARM_UP_REQUESTS = 20_000;
const ROUNDS = 9;
const AT_LEAST = 0.8;
/** The share of what a process can reach that sends the same search and only relays the bytes. */
const RELAY_AT_LEAST = 0.8;
/** A page must be at least as fast and as cheap as in a service that a user could write in an hour. */
const NAIVE_AT_LEAST = 1;
const CPU_AT_MOST = 1;
/** The query service limits concurrent searches, and refuses excess requests with these statuses. */
const REFUSALS = [503];
/** The query kind's requests repeat after this number. */
const DIFFERENT_REQUESTS = 60;

interface Figures extends LoadResult {
  /** The service's CPU milliseconds for each page that it served; absent for Elasticsearch. */
  cpuMs?: number;
  /** The CPU milliseconds of the service and Elasticsearch together for each page. */
  allCpuMs?: number;
}

/**
 * Measures the CPU time per page, and the requests per second on 32 connections relative to the same searches
 * sent to Elasticsearch, directly and through a relay. No two concurrent requests are equal.
 * @throws if a page costs more CPU time, Elasticsearch included, than in the naive service
 */
export async function throughput(context: BenchContext): Promise<void> {
  const prefix = await context.dataset(context.items);
  const service = await context.query(prefix, UNCACHED);
  const naive = await context.peer('peers/naive-service.ts', {
    ELASTICSEARCH_URL: context.engines.settings.ELASTICSEARCH_URL,
    INDEX: itemsAlias(prefix),
  });
  const relay = await context.peer('peers/relay.ts', {
    ELASTICSEARCH_PORT: String(context.elasticsearchPort),
  });
  const elasticsearch = context.elasticsearchPid;
  const kind = queryKind('city');
  // The part builds the requests before the measurement, so that the load generator only has to send them.
  const numbers = Array.from({ length: DIFFERENT_REQUESTS }, (_, number) => number);
  const targets = numbers.map((number) => get(targetOf(kind, number, context.items)));
  const searches = numbers.map((number) =>
    rawSearch(prefix, searchOf(criteriaOf(kind, number, context.items))),
  );
  const relayed = numbers.map((number) =>
    post('/', [
      { path: `/${itemsAlias(prefix)}/_search`, body: leanSearchOf(criteriaOf(kind, number, context.items)) },
    ]),
  );
  const run = (port: number, request: readonly HttpRequest[]) => (seconds: number) =>
    context.load({ port, request, connections: CONNECTIONS, seconds, refusals: REFUSALS });
  const withCpu =
    ({ port, pid }: Subject) =>
    async (seconds: number): Promise<Figures> => {
      const [before, engineBefore] = [await cpuSeconds(pid), await cpuSeconds(elasticsearch)];
      const figures = await run(port, targets)(seconds);
      const cpuMs = (((await cpuSeconds(pid)) - before) / figures.requests) * 1_000;
      const engineMs = (((await cpuSeconds(elasticsearch)) - engineBefore) / figures.requests) * 1_000;
      return { ...figures, cpuMs, allCpuMs: cpuMs + engineMs };
    };
  const subjects = {
    service: withCpu(service),
    raw: run(context.elasticsearchPort, searches),
    naive: withCpu(naive),
    relay: run(relay.port, relayed),
  };
  const figures = await context.step(`city, ${CONNECTIONS} connections`, 600, async () => {
    for (const warmUp of Object.values(subjects))
      for (let warm = 0; warm < WARM_UP_REQUESTS; ) warm += (await warmUp(WARM_UP_SECONDS)).requests;
    return alternate<keyof typeof subjects, Figures>(ROUNDS, {
      service: () => subjects.service(SECONDS),
      raw: () => subjects.raw(SECONDS),
      naive: () => subjects.naive(SECONDS),
      relay: () => subjects.relay(SECONDS),
    });
  });
  const rate = (name: keyof typeof subjects) => medianOf(figures[name], 'requestsPerSecond');
  const row = (name: string, figure: number, more = {}) =>
    compared(`page, city, ${CONNECTIONS} connections`, 'requests/s', rate('service'), { name, figure }, more);
  const cpu = (measure: string, figure: 'cpuMs' | 'allCpuMs') => {
    const of = (name: 'service' | 'naive') =>
      rounded(median(figures[name].map((round) => round[figure] ?? Number.NaN)));
    return compared(
      measure,
      'CPU ms',
      of('service'),
      { name: 'naive service', figure: of('naive') },
      { target: { atMost: CPU_AT_MOST } },
    );
  };
  const cost = cpu('page, city: CPU time, with Elasticsearch', 'allCpuMs');
  context.report(
    [
      row('raw _search', rate('raw'), { target: { atLeast: AT_LEAST } }),
      row('relay', rate('relay'), { target: { atLeast: RELAY_AT_LEAST } }),
      row('naive service', rate('naive'), { target: { atLeast: NAIVE_AT_LEAST } }),
      cost,
      cpu('page, city: CPU time of the service alone', 'cpuMs'),
    ],
    figures,
  );
  if (!isMet(cost))
    throw new Error(`a page costs ${cost.ratio} times the naive service's CPU time, Elasticsearch included`);
}

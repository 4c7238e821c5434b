import { itemsAlias } from '@vitrine/feed-index';
import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { get, type HttpRequest } from '../http-connection.ts';
import { rawSearch, searchOf } from '../peers/raw-search.ts';
import { criteriaOf, queryKind, targetOf } from '../query-kinds.ts';
import { compared } from '../results.ts';
import { alternate, medianOf } from '../statistics.ts';

const CONNECTIONS = 32;
const SECONDS = 5;
const WARM_UP_SECONDS = 3;
const ROUNDS = 3;
const AT_LEAST = 0.8;
/** The query service limits its concurrent searches, and refuses excess requests with these statuses. */
const REFUSALS = [503];
/** The requests of the query kind repeat after this number. */
const DIFFERENT_REQUESTS = 60;

/**
 * Measures requests per second on 32 connections, relative to the same searches sent to Elasticsearch.
 * Concurrent requests are never equal.
 */
export async function throughput(context: BenchContext): Promise<void> {
  const prefix = await context.dataset(context.items);
  const service = await context.query(prefix, UNCACHED);
  const naive = await context.peer('peers/naive-service.ts', {
    ELASTICSEARCH_URL: context.engines.settings.ELASTICSEARCH_URL,
    INDEX: itemsAlias(prefix),
  });
  const kind = queryKind('city');
  // The part builds the requests before the measurement, so that the load generator only sends them.
  const numbers = Array.from({ length: DIFFERENT_REQUESTS }, (_, number) => number);
  const targets = numbers.map((number) => get(targetOf(kind, number, context.items)));
  const searches = numbers.map((number) =>
    rawSearch(prefix, searchOf(criteriaOf(kind, number, context.items))),
  );
  const run = (port: number, request: readonly HttpRequest[]) => (seconds: number) =>
    context.load({ port, request, connections: CONNECTIONS, seconds, refusals: REFUSALS });
  const subjects = {
    service: run(service.port, targets),
    raw: run(context.elasticsearchPort, searches),
    naive: run(naive.port, targets),
  };
  const figures = await context.step(`city, ${CONNECTIONS} connections`, 180, async () => {
    for (const warmUp of Object.values(subjects)) await warmUp(WARM_UP_SECONDS);
    return alternate(ROUNDS, {
      service: () => subjects.service(SECONDS),
      raw: () => subjects.raw(SECONDS),
      naive: () => subjects.naive(SECONDS),
    });
  });
  const rate = (name: keyof typeof subjects) => medianOf(figures[name], 'requestsPerSecond');
  const row = (name: string, figure: number, more = {}) =>
    compared(`page, city, ${CONNECTIONS} connections`, 'requests/s', rate('service'), { name, figure }, more);
  context.report(
    [row('raw _search', rate('raw'), { target: { atLeast: AT_LEAST } }), row('naive service', rate('naive'))],
    figures,
  );
}

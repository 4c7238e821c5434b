import { itemsAlias } from '@vitrine/feed-index';
import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { get, type HttpRequest } from '../http-connection.ts';
import { rawSearch, searchOf } from '../peers/raw-search.ts';
import { criteriaOf, queryKind, targetOf } from '../query-kinds.ts';
import { alternate, median, rounded } from '../statistics.ts';

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
  const run = (port: number, requests: readonly HttpRequest[], seconds: number) =>
    context.load({
      port,
      request: (number) => requests[number % requests.length] as HttpRequest,
      connections: CONNECTIONS,
      seconds,
      status: 200,
      refusals: REFUSALS,
    });
  const subjects = {
    service: (seconds: number) => run(service.port, targets, seconds),
    raw: (seconds: number) => run(context.elasticsearchPort, searches, seconds),
    naive: (seconds: number) => run(naive.port, targets, seconds),
  };
  const figures = await context.step('city, 32 connections', 180, async () => {
    for (const warmUp of Object.values(subjects)) await warmUp(WARM_UP_SECONDS);
    return alternate(ROUNDS, {
      service: () => subjects.service(SECONDS),
      raw: () => subjects.raw(SECONDS),
      naive: () => subjects.naive(SECONDS),
    });
  });
  const rate = (name: keyof typeof subjects) =>
    rounded(median(figures[name].map(({ requestsPerSecond }) => requestsPerSecond)));
  const row = {
    measure: `page, city, ${CONNECTIONS} connections`,
    unit: 'requests/s' as const,
    ours: rate('service'),
  };
  const peer = (name: string, figure: number) => ({
    ...row,
    peer: { name, figure },
    ratio: rounded(row.ours / figure),
  });
  context.report(
    [
      { ...peer('raw _search', rate('raw')), target: { atLeast: AT_LEAST } },
      peer('naive service', rate('naive')),
    ],
    figures,
  );
}

import { setTimeout as pass } from 'node:timers/promises';
import { Random, TODAY } from '@vitrine/fixtures';
import { hostileMarket } from '@vitrine/test/hostile-market';
import { RequestGenerator, type WorstRequest } from '@vitrine/test/request-generator';
import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { get, HttpConnection, type HttpRequest, post } from '../http-connection.ts';
import { compared } from '../results.ts';
import { MARKET_SEED } from '../shared-data.ts';
import { alternate, medianOf, quantile } from '../statistics.ts';

const SECONDS = 6;
const ROUNDS = 5;
const AT_MOST = 3;
/** The measured client sends about 80 requests per second. This is also below the client's rate limit. */
const CONNECTIONS = 4;
const PAUSE_MS = 50;
/** The other client sends as fast as it receives responses, within the default rate limit. */
const HOSTILE_CONNECTIONS = 8;
const INTERFACES: readonly WorstRequest['interface'][] = ['tools', 'batch', 'ucp', 'ucp-mcp', 'feeds'];
/** Both clients' requests come through the same proxy, which names the clients' addresses. */
const [MEASURED, HOSTILE] = ['192.0.2.1', '192.0.2.2'];

/**
 * Measures the pages and tool calls of one client, alone and alongside a client that sends a mix of every
 * interface's most expensive requests within its own rate limit.
 */
export async function isolation(context: BenchContext): Promise<void> {
  const prefix = await context.hostileMarket();
  const { port } = await context.query(prefix, {
    ...UNCACHED,
    FEED_TODAY: TODAY,
    RATE_LIMIT: '12000',
    TRUSTED_PROXIES: '1',
  });
  const market = hostileMarket(new Random(MARKET_SEED));
  let seed = 1;
  const measured = async () => {
    const requests: HttpRequest[] = [
      get('/api/ai-feed?cursor=*&pageSize=5&city=recife'),
      get('/api/public-feed?pageSize=3&city=sao-paulo'),
      post('/mcp', call('check_availability', { id: market.ids.ordinary[0], date: TODAY })),
      post('/mcp', call('list_facets', { facet: 'ad_type', city: 'recife' })),
    ];
    const { times, statuses } = await clients(
      port,
      MEASURED,
      CONNECTIONS,
      PAUSE_MS,
      (n) => requests[n % requests.length],
    );
    return { p99: quantile(times, 0.99), p50: quantile(times, 0.5), requests: times.length, statuses };
  };
  const hostile = () => {
    const generator = new RequestGenerator(new Random(seed++), market);
    return clients(port, HOSTILE, HOSTILE_CONNECTIONS, 0, (n) => {
      const { method, path, body } = generator.next(INTERFACES[n % INTERFACES.length] ?? 'tools');
      return method === 'GET' ? get(path) : post(path, body as object);
    });
  };
  const beside = async () => {
    const [other, own] = await Promise.all([hostile(), pass(500).then(measured)]);
    return { ...own, hostile: other.statuses };
  };
  const figures = await context.step('a client beside the worst requests', 300, async () => {
    await measured();
    return alternate(ROUNDS, { alone: measured, beside });
  });
  const peer = { name: 'p99 without it', figure: medianOf(figures.alone, 'p99') };
  const measure = 'p99 beside a client with the worst allowed requests';
  context.report(
    [
      compared(measure, 'ms', medianOf(figures.beside, 'p99'), peer, {
        target: { atMost: AT_MOST },
        note: `p50 ${medianOf(figures.beside, 'p50')} ms and ${medianOf(figures.alone, 'p50')} ms`,
      }),
    ],
    figures,
  );
}

const call = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** @returns the durations in milliseconds of the responses with status 200, and the number of each status */
async function clients(
  port: number,
  address: string,
  connections: number,
  pauseMs: number,
  next: (number: number) => HttpRequest | undefined,
) {
  const times: number[] = [];
  const statuses: Record<number, number> = {};
  const end = performance.now() + SECONDS * 1_000;
  let number = 0;
  const headers = {
    'x-forwarded-for': address,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-03-26',
  };
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = new HttpConnection(port);
      try {
        while (performance.now() < end) {
          const request = next(number++);
          if (!request) return;
          const start = performance.now();
          const { status } = await connection.send({
            ...request,
            headers: { ...request.headers, ...headers },
          });
          if (status === 200) times.push(performance.now() - start);
          statuses[status] = (statuses[status] ?? 0) + 1;
          await pass(pauseMs);
        }
      } finally {
        connection.close();
      }
    }),
  );
  return { times, statuses };
}

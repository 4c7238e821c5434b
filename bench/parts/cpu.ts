import { itemsAlias } from '@vitrine/feed-index';
import { readFeedRequest } from '@vitrine/query';
import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { get } from '../http-connection.ts';
import { leanSearchOf } from '../peers/raw-search.ts';
import { cpuSeconds } from '../process-figures.ts';
import { compared } from '../results.ts';
import { alternate, median, rounded } from '../statistics.ts';
import type { Subject } from '../subjects.ts';

const ITEMS = 4_000;
const DAYS = 90;
const PAGE_SIZE = 100;
const SECONDS = 4;
const ROUNDS = 4;
const AT_MOST = 0.5;

const query = (number: number) => `page=${1 + (number % 10)}&pageSize=${PAGE_SIZE}`;

/**
 * Measures the CPU time for a page of 100 items with 90 dates each, relative to the CPU time for only parsing
 * and serializing Elasticsearch's response.
 */
export async function cpu(context: BenchContext): Promise<void> {
  const { ELASTICSEARCH_URL } = context.engines.settings;
  const prefix = await context.dataset(ITEMS, DAYS);
  const service = await context.query(prefix, UNCACHED);
  const naive = await context.peer('peers/naive-service.ts', {
    ELASTICSEARCH_URL,
    INDEX: itemsAlias(prefix),
  });
  const response = await rawResponse(prefix, ELASTICSEARCH_URL);
  const subjects = {
    service: () => perRequest(context, service),
    parse: async () => parseAndStringify(response),
    naive: () => perRequest(context, naive),
  };
  const figures = await context.step('CPU time per page', 180, async () => {
    for (const warmUp of Object.values(subjects)) await warmUp();
    return alternate(ROUNDS, subjects);
  });
  const [ours, parse, other] = [figures.service, figures.parse, figures.naive].map((ms) =>
    rounded(median(ms)),
  ) as [number, number, number];
  const row = (name: string, figure: number, more = {}) =>
    compared('page of 100 with 90 dates each', 'CPU ms', ours, { name, figure }, more);
  context.report(
    [row('parse + stringify', parse, { target: { atMost: AT_MOST } }), row('naive service', other)],
    {
      rounds: figures.service.map((each, i) => ({
        service: each,
        parse: figures.parse[i],
        naive: figures.naive[i],
      })),
      responseBytes: response.length,
    },
  );
}

/** Measures the CPU milliseconds per request of a whole process, with two concurrent requests. */
async function perRequest(context: BenchContext, { port, pid }: Subject): Promise<number> {
  const before = await cpuSeconds(pid);
  const { requests } = await context.load({
    port,
    request: (n) => get(`/api/ai-feed?${query(n)}`),
    connections: 2,
    seconds: SECONDS,
  });
  return (((await cpuSeconds(pid)) - before) / requests) * 1_000;
}

/**
 * Elasticsearch's response with only the served members. This is the smallest response that a service must
 * parse.
 */
async function rawResponse(prefix: string, url: string): Promise<Buffer> {
  const criteria = readFeedRequest('ai-feed', undefined, query(0));
  if ('bad' in criteria) throw new Error(JSON.stringify(criteria.bad));
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/${itemsAlias(prefix)}/_search`, {
    method: 'POST',
    headers,
    body: JSON.stringify(leanSearchOf(criteria)),
  });
  return Buffer.from(await response.arrayBuffer());
}

/**
 * Measures the CPU milliseconds for the least work that a service must do if it parses and serializes
 * objects. The work includes no HTTP request, filter or response.
 */
function parseAndStringify(response: Buffer): number {
  const start = process.cpuUsage();
  const end = performance.now() + (SECONDS * 1_000) / 2;
  let times = 0;
  let bytes = 0;
  for (; performance.now() < end; times++) {
    const { hits } = JSON.parse(response.toString()) as {
      hits: { hits: { _source: { feed_item: object; calendar: object[] } }[] };
    };
    const data = hits.hits.map(({ _source: { feed_item, calendar } }) => ({
      ...feed_item,
      availability: calendar,
    }));
    bytes += Buffer.from(JSON.stringify({ data })).length;
  }
  if (bytes === 0) throw new Error('no page was serialized');
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000 / times;
}

import { itemsAlias } from '@vitrine/feed-index';
import { readFeedRequest } from '@vitrine/query';
import { type Arena, UNCACHED } from '../arena.ts';
import { get } from '../connection.ts';
import { load } from '../load.ts';
import { leanSearchOf } from '../peers/raw-search.ts';
import { cpuSeconds } from '../process-figures.ts';
import { type Contender, startPeer } from '../processes.ts';
import type { PartResult } from '../results.ts';
import { alternate, median, rounded } from '../statistics.ts';

const ITEMS = 4_000;
const DAYS = 90;
const PAGE_SIZE = 100;
const SECONDS = 4;
const ROUNDS = 4;
const AT_MOST = 0.5;

const query = (number: number) => `page=${1 + (number % 10)}&pageSize=${PAGE_SIZE}`;

/** CPU time of a page of 100 items with 90 dates each, against what parsing Elasticsearch's answer and making JSON of it alone takes. */
export async function cpu(arena: Arena): Promise<PartResult> {
  const prefix = await arena.market(ITEMS, DAYS);
  const service = await arena.query(prefix, UNCACHED);
  const naive = await startPeer('peers/naive-service.ts', { ELASTICSEARCH_URL: arena.engines.settings.ELASTICSEARCH_URL, INDEX: itemsAlias(prefix) });
  try {
    const answer = await rawAnswer(prefix, arena.engines.settings.ELASTICSEARCH_URL);
    const contenders = { service: () => perRequest(service), parse: async () => parseAndStringify(answer), naive: () => perRequest(naive) };
    for (const warmUp of Object.values(contenders)) await warmUp();
    const figures = await alternate(ROUNDS, contenders);
    const [ours, parse, other] = [figures.service, figures.parse, figures.naive].map((ms) => rounded(median(ms))) as [number, number, number];
    const row = { measure: 'page of 100 with 90 dates each', unit: 'CPU ms' as const, ours };
    return {
      rows: [
        { ...row, peer: { name: 'parse + stringify', figure: parse }, ratio: rounded(ours / parse), target: { atMost: AT_MOST } },
        { ...row, peer: { name: 'naive service', figure: other }, ratio: rounded(ours / other) },
      ],
      figures: {
        rounds: figures.service.map((service, i) => ({ service, parse: figures.parse[i], naive: figures.naive[i] })),
        answerBytes: answer.length,
      },
    };
  } finally {
    await naive.stop();
    await service.stop();
  }
}

/** CPU milliseconds a request of a whole process, two requests under way. */
async function perRequest({ port, pid }: Contender): Promise<number> {
  const before = await cpuSeconds(pid);
  const { requests } = await load({ port, request: (n) => get(`/api/ai-feed?${query(n)}`), connections: 2, seconds: SECONDS, status: 200 });
  return (((await cpuSeconds(pid)) - before) / requests) * 1_000;
}

/** What Elasticsearch answers where only what is served is asked for, byte by byte: no more to parse than there must be. */
async function rawAnswer(prefix: string, url: string): Promise<Buffer> {
  const criteria = readFeedRequest('ai-feed', undefined, query(0));
  if ('bad' in criteria) throw new Error(JSON.stringify(criteria.bad));
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/${itemsAlias(prefix)}/_search`, { method: 'POST', headers, body: JSON.stringify(leanSearchOf(criteria)) });
  return Buffer.from(await response.arrayBuffer());
}

/** CPU milliseconds of the least that a service does which handles objects: nothing is asked, filtered or sent. */
function parseAndStringify(answer: Buffer): number {
  const start = process.cpuUsage();
  const end = performance.now() + (SECONDS * 1_000) / 2;
  let times = 0;
  let bytes = 0;
  for (; performance.now() < end; times++) {
    const { hits } = JSON.parse(answer.toString()) as { hits: { hits: { _source: { feed_item: object; calendar: object[] } }[] } };
    const data = hits.hits.map(({ _source: { feed_item, calendar } }) => ({ ...feed_item, availability: calendar }));
    bytes += Buffer.from(JSON.stringify({ data })).length;
  }
  if (bytes === 0) throw new Error('nothing was made');
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000 / times;
}

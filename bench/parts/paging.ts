import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { get, type HttpConnection } from '../http-connection.ts';
import { bodyOf, type Latency, latency } from '../measure.ts';
import { PAGE_SIZE } from '../query-kinds.ts';
import { compared } from '../results.ts';
import { pause } from '../time-limit.ts';

const ROUNDS = 3;
/**
 * The service drops the counts of a point in time after 5 s. A round is shorter than that time, and the pause
 * before a round is longer.
 */
const ROUND_MS = 4_000;
const PAUSE_MS = 5_500;
const WARM_UP_REQUESTS = 30;
const AT_MOST = 1.5;
const CASES = { 'no filter': '', 'one city': 'city=city-3', 'nearest first': 'lat=-5.2&lng=-35.9' };
const CASE_LIMIT_SECONDS = 120;

type Depth = 'page 2' | 'middle' | 'last' | 'last, cold';

/** Measures page latency by depth: the last page relative to the second page. */
export async function paging(context: BenchContext): Promise<void> {
  const prefix = await context.dataset(context.items);
  const service = await context.query(prefix, UNCACHED);
  const connection = context.connect(service.port);
  for (const [name, query] of Object.entries(CASES)) {
    const times = await context.step(name, CASE_LIMIT_SECONDS, () =>
      measureDepths(connection, `/api/public-feed?${query}`, context.signal),
    );
    const peer = { name: 'its page 2', figure: times['page 2'].p50 };
    context.report(
      [
        compared(`last page, ${name}`, 'ms', times.last.p50, peer, {
          target: { atMost: AT_MOST },
          note: `cold ${times['last, cold'].p50} ms`,
        }),
      ],
      { [name]: times },
    );
  }
}

/**
 * Requests pages at three depths in turn. For the first deep page in every round, the service has no counts.
 */
async function measureDepths(
  connection: HttpConnection,
  target: string,
  signal: AbortSignal,
): Promise<Record<Depth, Latency>> {
  const ask = async (page: number): Promise<{ pageCount: number; ms: number }> => {
    const start = performance.now();
    const body = await bodyOf(connection, get(`${target}&pageSize=${PAGE_SIZE}&page=${page}`));
    const ms = performance.now() - start;
    const { data, meta } = JSON.parse(body.toString()) as { data: object[]; meta: { pageCount: number } };
    if (data.length === 0) throw new Error(`page ${page} is empty`);
    return { pageCount: meta.pageCount, ms };
  };
  const { pageCount } = await ask(1);
  const pages = { 'page 2': 2, middle: Math.ceil(pageCount / 2), last: pageCount };
  const times: Record<Depth, number[]> = { 'page 2': [], middle: [], last: [], 'last, cold': [] };
  for (let i = 0; i < WARM_UP_REQUESTS; i++) for (const page of Object.values(pages)) await ask(page);
  for (let round = 0; round < ROUNDS; round++) {
    await pause(PAUSE_MS, signal);
    const end = performance.now() + ROUND_MS;
    times['last, cold'].push((await ask(pages.last)).ms);
    await ask(pages.middle);
    while (performance.now() < end)
      for (const depth of ['page 2', 'middle', 'last'] as const)
        times[depth].push((await ask(pages[depth])).ms);
  }
  return Object.fromEntries(Object.entries(times).map(([depth, ms]) => [depth, latency(ms)])) as Record<
    Depth,
    Latency
  >;
}

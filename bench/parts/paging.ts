import { setTimeout as pass } from 'node:timers/promises';
import { type Arena, UNCACHED } from '../arena.ts';
import { Connection, get } from '../connection.ts';
import { PAGE_SIZE } from '../query-kinds.ts';
import type { PartResult, Row } from '../results.ts';
import { rounded } from '../statistics.ts';
import { type Latency, latency } from './queries.ts';

const ROUNDS = 3;
/** What is known of a point in time is thrown away after 5 s: so long a round is, and so long it waits before. */
const ROUND_MS = 4_000;
const PAUSE_MS = 5_500;
const AT_MOST = 1.5;
const CASES = { 'no filter': '', 'one city': 'city=city-3', 'nearest first': 'lat=-5.2&lng=-35.9' };

type Depth = 'page 2' | 'middle' | 'last' | 'last, cold';

/** What a page costs by its depth: the last against the second. */
export async function paging(arena: Arena): Promise<PartResult> {
  const prefix = await arena.market(arena.items);
  const service = await arena.query(prefix, UNCACHED);
  const connection = new Connection(service.port);
  try {
    const figures: Record<string, Record<Depth, Latency>> = {};
    const rows: Row[] = [];
    for (const [name, query] of Object.entries(CASES)) {
      const times = await measure(connection, `/api/public-feed?${query}`);
      figures[name] = times;
      const [last, second] = [times.last.p50, times['page 2'].p50];
      const note = `cold ${times['last, cold'].p50} ms`;
      const peer = { name: 'its page 2', figure: second };
      rows.push({ measure: `last page, ${name}`, unit: 'ms', ours: last, peer, ratio: rounded(last / second), target: { atMost: AT_MOST }, note });
    }
    return { rows, figures };
  } finally {
    connection.close();
    await service.stop();
  }
}

/** Pages at three depths in turn; the first deep one of every round finds nothing counted. */
async function measure(connection: Connection, target: string): Promise<Record<Depth, Latency>> {
  const ask = async (page: number): Promise<{ pageCount: number; ms: number }> => {
    const start = performance.now();
    const { status, body } = await connection.send(get(`${target}&pageSize=${PAGE_SIZE}&page=${page}`));
    const ms = performance.now() - start;
    if (status !== 200) throw new Error(`page ${page}: ${status}`);
    const { data, meta } = JSON.parse(body.toString()) as { data: object[]; meta: { pageCount: number } };
    if (data.length === 0) throw new Error(`page ${page} is empty`);
    return { pageCount: meta.pageCount, ms };
  };
  const { pageCount } = await ask(1);
  const pages = { 'page 2': 2, middle: Math.ceil(pageCount / 2), last: pageCount };
  const times: Record<Depth, number[]> = { 'page 2': [], middle: [], last: [], 'last, cold': [] };
  for (let i = 0; i < 30; i++) for (const page of Object.values(pages)) await ask(page);
  for (let round = 0; round < ROUNDS; round++) {
    await pass(PAUSE_MS);
    const end = performance.now() + ROUND_MS;
    times['last, cold'].push((await ask(pages.last)).ms);
    await ask(pages.middle);
    while (performance.now() < end) for (const depth of ['page 2', 'middle', 'last'] as const) times[depth].push((await ask(pages[depth])).ms);
  }
  return Object.fromEntries(Object.entries(times).map(([depth, ms]) => [depth, latency(ms)])) as Record<Depth, Latency>;
}

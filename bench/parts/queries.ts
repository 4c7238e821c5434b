import { itemsAlias } from '@vitrine/feed-index';
import { type Arena, NOTHING_KEPT, totalOf, UNCACHED } from '../arena.ts';
import { Connection, get } from '../connection.ts';
import type { PostgresMarket } from '../peers/postgres-market.ts';
import { type PostgresPage, postgresPage } from '../peers/postgres-queries.ts';
import { isWithinWindow, leanSearchOf, rawSearch, searchOf } from '../peers/raw-search.ts';
import { startPeer } from '../processes.ts';
import { criteriaOf, QUERY_KINDS, type QueryKind, targetOf } from '../query-kinds.ts';
import type { PartResult, Row } from '../results.ts';
import { quantile, rounded } from '../statistics.ts';

/** Of each process that compiles what it runs often, with all kinds in turn, before any is measured: a service that has just started is another service. */
const WARM_UP_MS = 10_000;
/** Requests of each kind and contender before it is measured. */
const WARM_UP = 15;
const SAMPLES = 80;
/** A kind that is slow on any side gets fewer samples, but not fewer than this. */
const FEWEST_SAMPLES = 7;
const LONGEST_MS = 16_000;
/** Requests in a row of one contender, or as many as fit in the time: processors forget in a moment what the last one needed of their caches. */
const IN_A_ROW = 10;
const ROW_MS = 1_000;
const TO_RAW_AT_MOST = 1.3;
const LAST_PAGE_AT_LEAST = 50;
/** The naive service knows neither places nor ranges nor the offers of an agent's feed. */
const NAIVE_KINDS = new Set(['no filter', 'city', 'date and city']);

/** Where the table has what a request takes that is the first after a while; the results have it for every kind. */
const FIRST_KINDS = new Set(['no filter', 'city', 'agent, date and city']);
/** Where the table has the search that asks for what is served and no more; the results have it for every kind. */
const LEAN_KINDS = new Set(['city', 'agent, date and city']);

/** Sends the request of this number; resolves when the answer is there. */
export type Ask = (number: number) => Promise<unknown>;
type ContenderName = 'service' | 'first' | 'raw' | 'lean' | 'PostgreSQL' | 'naive';
export interface Latency {
  p50: number;
  p95: number;
  samples: number;
}
type KindResult = Partial<Record<ContenderName, Latency>>;

/** What one page with its exact total takes, for every kind of query and every contender, one request at a time. */
export async function queries(arena: Arena): Promise<PartResult> {
  const prefix = await arena.market(arena.items);
  const postgres = await arena.postgres();
  const service = await arena.query(prefix, UNCACHED);
  const keepsNothing = await arena.query(prefix, NOTHING_KEPT);
  const naive = await startPeer('peers/naive-service.ts', { ELASTICSEARCH_URL: arena.engines.settings.ELASTICSEARCH_URL, INDEX: itemsAlias(prefix) });
  try {
    const total = await totalOf(service.port);
    const figures: Record<string, KindResult> = {};
    for (const { port } of [service, keepsNothing]) await warmUp(port, (kind, n) => get(targetOf(kind, n, total)));
    await warmUp(naive.port, (kind, n) => get(targetOf(kind, n, total)), NAIVE_KINDS);
    for (const kind of QUERY_KINDS) {
      // New ones for each kind: not every kind asks all of them, and a server closes what is idle.
      const connections = [service.port, keepsNothing.port, arena.elasticsearchPort, naive.port].map((port) => new Connection(port));
      const [ours, first, raw, other] = connections as [Connection, Connection, Connection, Connection];
      const ask: Partial<Record<ContenderName, Ask>> = {
        service: (n) => answered(ours, get(targetOf(kind, n, total))),
        first: (n) => answered(first, get(targetOf(kind, n, total))),
      };
      if (isWithinWindow(searchOf(criteriaOf(kind, 0, total)))) {
        ask.raw = (n) => answered(raw, rawSearch(prefix, searchOf(criteriaOf(kind, n, total))));
        ask.lean = (n) => answered(raw, rawSearch(prefix, leanSearchOf(criteriaOf(kind, n, total))));
      }
      if (NAIVE_KINDS.has(kind.name)) ask.naive = (n) => answered(other, get(targetOf(kind, n, total)));
      if (typeof postgres !== 'string') {
        await expectSame(kind, total, ours, postgres);
        ask.PostgreSQL = (n) => postgresPage(postgres.pool, criteriaOf(kind, n, total));
      }
      figures[kind.name] = await measure(ask);
      for (const connection of connections) connection.close();
      arena.tell(
        `${kind.name}: ${Object.entries(figures[kind.name] ?? {})
          .map(([name, { p50 }]) => `${name} ${p50} ms`)
          .join(', ')}`,
      );
    }
    const notRun = typeof postgres === 'string' ? [`every row against PostgreSQL: ${postgres}`] : [];
    return { rows: QUERY_KINDS.flatMap((kind) => rowsOf(kind, figures[kind.name] ?? {})), figures, notRun };
  } finally {
    await naive.stop();
    await keepsNothing.stop();
    await service.stop();
  }
}

export async function warmUp(port: number, request: (kind: QueryKind, number: number) => Buffer, kinds?: ReadonlySet<string>): Promise<void> {
  const quick = QUERY_KINDS.filter(({ name, slow }) => !slow && (kinds?.has(name) ?? true));
  const connection = new Connection(port);
  const end = performance.now() + WARM_UP_MS;
  try {
    for (let number = 0; performance.now() < end; number++) for (const kind of quick) await answered(connection, request(kind, number));
  } finally {
    connection.close();
  }
}

async function answered(connection: Connection, request: Buffer): Promise<Buffer> {
  const { status, body } = await connection.send(request);
  if (status !== 200) throw new Error(`answered ${status}: ${body.toString().slice(0, 500)}`);
  return body;
}

/** Contenders in turn, some requests in a row, each first in its turn: who asks second finds more in the caches of disk and engine. */
export async function measure<Name extends string>(ask: Partial<Record<Name, Ask>>): Promise<Partial<Record<Name, Latency>>> {
  const contenders = Object.entries(ask) as [Name, Ask][];
  const times = new Map<Name, number[]>(contenders.map(([name]) => [name, []]));
  const deadline = performance.now() + LONGEST_MS;
  let slowest = 0;
  const time = async (send: Ask, number: number) => {
    const start = performance.now();
    await send(number);
    return performance.now() - start;
  };
  const warm = (sample: number) => sample < WARM_UP && performance.now() < deadline - LONGEST_MS / 2;
  let number = 0;
  for (; warm(number); number++) {
    slowest = 0;
    for (const [, send] of contenders) slowest = Math.max(slowest, await time(send, number));
  }
  const inARow = Math.min(Math.max(Math.floor(ROW_MS / slowest), 1), IN_A_ROW);
  for (let sample = 0; sample < FEWEST_SAMPLES || (sample < SAMPLES && performance.now() < deadline); sample += inARow, number += inARow) {
    const first = (sample / inARow) % contenders.length;
    for (const [name, send] of [...contenders.slice(first), ...contenders.slice(0, first)])
      for (let i = 0; i < inARow; i++) times.get(name)?.push(await time(send, number + i));
  }
  return Object.fromEntries([...times].map(([name, ms]) => [name, latency(ms)])) as Partial<Record<Name, Latency>>;
}

export const latency = (ms: number[]): Latency => ({ p50: rounded(quantile(ms, 0.5)), p95: rounded(quantile(ms, 0.95)), samples: ms.length });

/** Both sides must have found the same, or comparing their times would mean nothing. */
async function expectSame(kind: QueryKind, total: number, connection: Connection, { pool }: PostgresMarket): Promise<void> {
  const theirs: PostgresPage = await postgresPage(pool, criteriaOf(kind, 1, total));
  const { data, meta } = JSON.parse((await answered(connection, get(targetOf(kind, 1, total)))).toString()) as {
    data: { id: string }[];
    meta: { total: number; availability?: { date: string; items: number }[] };
  };
  const ids = theirs.items.map((item) => (JSON.parse(item) as { id: string }).id);
  const offers = (theirs.offers ?? []).toSorted((a, b) => (a.date < b.date ? -1 : 1));
  const found = JSON.stringify([data.map(({ id }) => id), meta.total, (meta.availability ?? []).map(({ date, items }) => ({ date, items }))]);
  if (data.length === 0 || found !== JSON.stringify([ids, theirs.total, offers])) throw new Error(`${kind.name}: PostgreSQL found something else`);
}

function rowsOf({ name, linear }: QueryKind, { service, first, raw, lean, PostgreSQL, naive }: KindResult): Row[] {
  if (!service) return [];
  const ours = { unit: 'ms' as const, ours: service.p50 };
  const rows: Row[] = [];
  if (raw)
    rows.push({
      measure: `page, ${name}`,
      ...ours,
      peer: { name: 'raw _search', figure: raw.p50 },
      ratio: rounded(service.p50 / raw.p50),
      target: { atMost: TO_RAW_AT_MOST },
    });
  if (first && raw && FIRST_KINDS.has(name))
    rows.push({
      measure: `page, ${name}, nothing counted before`,
      unit: 'ms',
      ours: first.p50,
      peer: { name: 'raw _search', figure: raw.p50 },
      ratio: rounded(first.p50 / raw.p50),
    });
  if (lean && LEAN_KINDS.has(name))
    rows.push({ measure: `page, ${name}`, ...ours, peer: { name: 'lean _search', figure: lean.p50 }, ratio: rounded(service.p50 / lean.p50) });
  if (naive)
    rows.push({ measure: `page, ${name}`, ...ours, peer: { name: 'naive service', figure: naive.p50 }, ratio: rounded(service.p50 / naive.p50) });
  if (PostgreSQL)
    rows.push({
      measure: `page, ${name}: times faster`,
      ...ours,
      peer: { name: 'PostgreSQL', figure: PostgreSQL.p50 },
      ratio: rounded(PostgreSQL.p50 / service.p50),
      target: { atLeast: name === 'last page' ? LAST_PAGE_AT_LEAST : 1 },
      ...(linear && { note: linear }),
    });
  return rows;
}

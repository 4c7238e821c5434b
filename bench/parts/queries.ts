import { itemsAlias } from '@vitrine/feed-index';
import { type BenchContext, NOTHING_SHARED, totalOf, UNCACHED } from '../bench-context.ts';
import { get, type HttpConnection } from '../http-connection.ts';
import { type Ask, bodyOf, type Latency, measure, warmUp } from '../measure.ts';
import type { PostgresDataset } from '../peers/postgres-dataset.ts';
import { readPage } from '../peers/postgres-queries.ts';
import { isWithinWindow, leanSearchOf, rawSearch, searchOf } from '../peers/raw-search.ts';
import { criteriaOf, QUERY_KINDS, type QueryKind, targetOf } from '../query-kinds.ts';
import { compared, type Peer, type Row } from '../results.ts';
import { rounded } from '../statistics.ts';

const TO_RAW_AT_MOST = 1.3;
const TO_NAIVE_AT_MOST = 1;
const FASTER_AT_LEAST = 1;
const AGENT_DATE_AT_LEAST = 1.5;
/** How long the peer's pages share a count, as in the service (CACHE_FRESH_SECONDS). */
const SHARED_SECONDS = 5;
/**
 * The query types that the naive service supports. That service has no places, no date ranges and no
 * `meta.availability`.
 */
const NAIVE_KINDS = new Set(['no filter', 'city', 'date and city']);
/** The table has the row "nothing counted before" only for these kinds. The results contain all kinds. */
const FIRST_KINDS = new Set(['no filter', 'city', 'agent, date and city']);
/** The table has the row "lean _search" only for these kinds. The results contain all kinds. */
const LEAN_KINDS = new Set(['city', 'agent, date and city']);
const KIND_LIMIT_SECONDS = 120;

type SubjectName = 'service' | 'first' | 'raw' | 'lean' | 'koa' | 'koaFirst' | 'PostgreSQL' | 'naive';
type KindResult = Partial<Record<SubjectName, Latency>>;

/**
 * Measures the latency of one page with its exact total, for every query type and every subject, with one
 * request at a time.
 */
export async function queries(context: BenchContext): Promise<void> {
  const prefix = await context.dataset(context.items);
  const postgres = await context.postgres();
  if (typeof postgres === 'string') context.notRun.push(`every row against PostgreSQL: ${postgres}`);
  const service = await context.query(prefix, UNCACHED);
  const first = await context.query(prefix, NOTHING_SHARED);
  const naive = await context.peer('peers/naive-service.ts', {
    ELASTICSEARCH_URL: context.engines.settings.ELASTICSEARCH_URL,
    INDEX: itemsAlias(prefix),
  });
  const startKoa = async (seconds: number) =>
    typeof postgres === 'string'
      ? undefined
      : context.peer('peers/postgres-service.ts', {
          POSTGRES_PORT: String(postgres.port),
          SHARED_SECONDS: String(seconds),
        });
  const [koa, koaFirst] = [await startKoa(SHARED_SECONDS), await startKoa(0)];
  const total = await totalOf(service.port);
  await context.step('warm-up', 130, async () => {
    const target = (kind: QueryKind, number: number) => targetOf(kind, number, total);
    for (const subject of [service, first, koa, koaFirst])
      if (subject) await warmUp(context.connect(subject.port), target);
    await warmUp(context.connect(naive.port), target, NAIVE_KINDS);
  });
  const connections: Connections = {
    service: context.connect(service.port),
    first: context.connect(first.port),
    raw: context.connect(context.elasticsearchPort),
    naive: context.connect(naive.port),
    koa: koa && context.connect(koa.port),
    koaFirst: koaFirst && context.connect(koaFirst.port),
  };
  for (const kind of QUERY_KINDS) {
    const result = await context.step(kind.name, KIND_LIMIT_SECONDS, async () => {
      if (connections.koa) await expectSame(targetOf(kind, 1, total), connections.service, connections.koa);
      return measure(asksOf(kind, { prefix, total, postgres, connections }));
    });
    context.report(rowsOf(kind, result), { [kind.name]: result });
    const medians = Object.entries(result).map(([name, { p50 }]) => `${name} ${p50} ms`);
    context.tell(`${kind.name}: ${medians.join(', ')}`);
  }
}

type Connections = Record<'service' | 'first' | 'raw' | 'naive', HttpConnection> &
  Record<'koa' | 'koaFirst', HttpConnection | undefined>;
interface Subjects {
  prefix: string;
  total: number;
  postgres: PostgresDataset | string;
  connections: Connections;
}

function asksOf(
  kind: QueryKind,
  { prefix, total, postgres, connections }: Subjects,
): Partial<Record<SubjectName, Ask>> {
  const over = (connection: HttpConnection) => (n: number) =>
    bodyOf(connection, get(targetOf(kind, n, total)));
  const { service, first, koa, koaFirst } = connections;
  const asks: Partial<Record<SubjectName, Ask>> = { service: over(service), first: over(first) };
  // The peers follow the subjects that they are compared with, so that little time passes between the two.
  if (koa && koaFirst) Object.assign(asks, { koa: over(koa), koaFirst: over(koaFirst) });
  if (isWithinWindow(searchOf(criteriaOf(kind, 0, total)))) {
    asks.raw = (n) => bodyOf(connections.raw, rawSearch(prefix, searchOf(criteriaOf(kind, n, total))));
    asks.lean = (n) => bodyOf(connections.raw, rawSearch(prefix, leanSearchOf(criteriaOf(kind, n, total))));
  }
  if (NAIVE_KINDS.has(kind.name)) asks.naive = over(connections.naive);
  if (typeof postgres !== 'string')
    asks.PostgreSQL = (n) => readPage(postgres.pool, criteriaOf(kind, n, total));
  return asks;
}

/** @throws if both sides send different responses, because then their times cannot be compared */
async function expectSame(target: string, ours: HttpConnection, theirs: HttpConnection): Promise<void> {
  const [one, other] = (await Promise.all([ours, theirs].map((side) => bodyOf(side, get(target))))).map(
    (body) => body.toString().replace(/"generatedAt":"[^"]*"/, ''),
  );
  if (one !== other || one?.startsWith('{"data":[]')) throw new Error(`PostgreSQL: another ${target}`);
}

function rowsOf(
  { name, linear }: QueryKind,
  { service, first, raw, lean, koa, koaFirst, PostgreSQL, naive }: KindResult,
): Row[] {
  if (!service) return [];
  const page = `page, ${name}`;
  const against = (measure: string, ours: Latency, peer: string, theirs: Latency, more: Partial<Row> = {}) =>
    compared(measure, 'ms', ours.p50, { name: peer, figure: theirs.p50 }, more);
  const rows: Row[] = [];
  if (raw) rows.push(against(page, service, 'raw _search', raw, { target: { atMost: TO_RAW_AT_MOST } }));
  if (first && raw && FIRST_KINDS.has(name))
    rows.push(against(`${page}, nothing counted before`, first, 'raw _search', raw));
  if (lean && LEAN_KINDS.has(name)) rows.push(against(page, service, 'lean _search', lean));
  if (naive)
    rows.push(against(page, service, 'naive service', naive, { target: { atMost: TO_NAIVE_AT_MOST } }));
  if (koa && PostgreSQL)
    rows.push({
      measure: `${page}: times faster`,
      ...timesFaster(service, koa, PostgreSQL),
      target: { atLeast: name === 'agent, date' ? AGENT_DATE_AT_LEAST : FASTER_AT_LEAST },
      ...(linear && { note: linear }),
    });
  if (first && koaFirst && PostgreSQL)
    rows.push({
      measure: `${page}, nothing counted before: times faster`,
      ...timesFaster(first, koaFirst, PostgreSQL),
    });
  return rows;
}

function timesFaster(ours: Latency, koa: Latency, bare: Latency): Omit<Row, 'measure'> {
  const peer = (name: string, { p50 }: Latency): Peer => ({ name, figure: p50 });
  return {
    unit: 'ms',
    ours: ours.p50,
    peer: peer('Koa over PostgreSQL', koa),
    ratio: rounded(koa.p50 / ours.p50),
    second: { ...peer('PostgreSQL', bare), ratio: rounded(bare.p50 / ours.p50) },
  };
}

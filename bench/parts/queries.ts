import { itemsAlias } from '@vitrine/feed-index';
import { type BenchContext, NOTHING_SHARED, totalOf, UNCACHED } from '../bench-context.ts';
import { get, type HttpConnection } from '../http-connection.ts';
import { type Ask, bodyOf, type Latency, measure, warmUp } from '../measure.ts';
import type { PostgresDataset } from '../peers/postgres-dataset.ts';
import { postgresPage } from '../peers/postgres-queries.ts';
import { isWithinWindow, leanSearchOf, rawSearch, searchOf } from '../peers/raw-search.ts';
import { criteriaOf, QUERY_KINDS, type QueryKind, targetOf } from '../query-kinds.ts';
import type { Row } from '../results.ts';
import { rounded } from '../statistics.ts';

const TO_RAW_AT_MOST = 1.3;
const LAST_PAGE_AT_LEAST = 50;
/**
 * The query types that the naive service supports. It has no places, no date ranges and no
 * `meta.availability`.
 */
const NAIVE_KINDS = new Set(['no filter', 'city', 'date and city']);
/** The table has the row "nothing counted before" only for these kinds. The results contain all kinds. */
const FIRST_KINDS = new Set(['no filter', 'city', 'agent, date and city']);
/** The table has the row "lean _search" only for these kinds. The results contain all kinds. */
const LEAN_KINDS = new Set(['city', 'agent, date and city']);
const KIND_LIMIT_SECONDS = 120;

type SubjectName = 'service' | 'first' | 'raw' | 'lean' | 'PostgreSQL' | 'naive';
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
  const total = await totalOf(service.port);
  await context.step('warm-up', 90, async () => {
    const target = (kind: QueryKind, number: number) => targetOf(kind, number, total);
    for (const { port } of [service, first]) await warmUp(context.connect(port), target);
    await warmUp(context.connect(naive.port), target, NAIVE_KINDS);
  });
  const connections: Connections = {
    service: context.connect(service.port),
    first: context.connect(first.port),
    raw: context.connect(context.elasticsearchPort),
    naive: context.connect(naive.port),
  };
  for (const kind of QUERY_KINDS) {
    const result = await context.step(kind.name, KIND_LIMIT_SECONDS, async () => {
      if (typeof postgres !== 'string') await expectSame(kind, total, connections.service, postgres);
      return measure(asksOf(kind, { prefix, total, postgres, connections }));
    });
    context.report(rowsOf(kind, result), { [kind.name]: result });
    const medians = Object.entries(result).map(([name, { p50 }]) => `${name} ${p50} ms`);
    context.tell(`${kind.name}: ${medians.join(', ')}`);
  }
}

type Connections = Record<'service' | 'first' | 'raw' | 'naive', HttpConnection>;
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
  const asks: Partial<Record<SubjectName, Ask>> = {
    service: (n) => bodyOf(connections.service, get(targetOf(kind, n, total))),
    first: (n) => bodyOf(connections.first, get(targetOf(kind, n, total))),
  };
  if (isWithinWindow(searchOf(criteriaOf(kind, 0, total)))) {
    asks.raw = (n) => bodyOf(connections.raw, rawSearch(prefix, searchOf(criteriaOf(kind, n, total))));
    asks.lean = (n) => bodyOf(connections.raw, rawSearch(prefix, leanSearchOf(criteriaOf(kind, n, total))));
  }
  if (NAIVE_KINDS.has(kind.name))
    asks.naive = (n) => bodyOf(connections.naive, get(targetOf(kind, n, total)));
  if (typeof postgres !== 'string')
    asks.PostgreSQL = (n) => postgresPage(postgres.pool, criteriaOf(kind, n, total));
  return asks;
}

/** @throws if both sides find different items, because then their times cannot be compared */
async function expectSame(
  kind: QueryKind,
  total: number,
  connection: HttpConnection,
  { pool }: PostgresDataset,
): Promise<void> {
  const theirs = await postgresPage(pool, criteriaOf(kind, 1, total));
  const { data, meta } = JSON.parse((await bodyOf(connection, get(targetOf(kind, 1, total)))).toString()) as {
    data: { id: string }[];
    meta: { total: number; availability?: { date: string; items: number }[] };
  };
  const ids = theirs.items.map((item) => (JSON.parse(item) as { id: string }).id);
  const offers = theirs.offers.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  const found = JSON.stringify([
    data.map(({ id }) => id),
    meta.total,
    (meta.availability ?? []).map(({ date, items }) => ({ date, items })),
  ]);
  if (data.length === 0 || found !== JSON.stringify([ids, theirs.total, offers]))
    throw new Error('PostgreSQL returned a different result');
}

function rowsOf(
  { name, linear }: QueryKind,
  { service, first, raw, lean, PostgreSQL, naive }: KindResult,
): Row[] {
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
    rows.push({
      measure: `page, ${name}`,
      ...ours,
      peer: { name: 'lean _search', figure: lean.p50 },
      ratio: rounded(service.p50 / lean.p50),
    });
  if (naive)
    rows.push({
      measure: `page, ${name}`,
      ...ours,
      peer: { name: 'naive service', figure: naive.p50 },
      ratio: rounded(service.p50 / naive.p50),
    });
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

/**
 * What a page costs at which depth: `node bench/paging.ts [items]`, 300,000 items unless told.
 * Uses the Elasticsearch of the environment, or one of its own.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { startEngines } from '@vitrine/engines';
import { generationNames, itemsAlias, itemsIndexBody } from '@vitrine/feed-index';
import { createElasticsearch, createLog } from '@vitrine/runtime';
import { startQueryService } from '../services/query/src/index.ts';
import { indexMarket } from './market.ts';
import { keepResult, quantile } from './results.ts';

const count = Number(process.argv[2] ?? 300_000);
const PAGE_SIZE = 20;
const ROUNDS = 6;
/** What is known of a point in time is thrown away after 5 s: so long a round is, and so long it waits before. */
const ROUND_MS = 4_000;
const PAUSE_MS = 5_500;
const TARGET = 1.5;
const CASES = { 'no filter': '', 'one city': 'city=city-3', 'nearest first': 'lat=-5.2&lng=-35.9' };

interface Row {
  case: string;
  page: string;
  number: number;
  p50: number;
  p95: number;
  samples: number;
}

async function run(): Promise<void> {
  const engines = await startEngines({ elasticsearchHeap: '3g', onProgress: tell });
  const url = engines.settings.ELASTICSEARCH_URL;
  const prefix = `bench-paging-${process.pid}`;
  const elasticsearch = createElasticsearch({ url, requestTimeout: 120_000, maxRetries: 3 });
  const index = generationNames(prefix, 1).items;
  try {
    await elasticsearch.indices.create({ index, ...itemsIndexBody(), aliases: { [itemsAlias(prefix)]: {} } });
    const start = performance.now();
    await indexMarket(elasticsearch, index, count, (written) => written % 50_000 === 0 && tell(`${written} items`));
    tell(`${Math.round(count / ((performance.now() - start) / 1_000))} items a second`);
    const env = { ELASTICSEARCH_URL: url, INDEX_PREFIX: prefix, PORT: '0', ADMIN_PORT: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'silent' };
    const service = await startQueryService(env, createLog('query', 'silent'));
    const rows: Row[] = [];
    for (const [name, query] of Object.entries(CASES))
      rows.push(...(await measure(name, `http://127.0.0.1:${service.port}/api/public-feed?${query}`)));
    for (const row of rows) console.log(tableRow(row));
    const ratios = Object.keys(CASES).map((name) => [name, ratio(rows, name)]);
    for (const [name, value] of ratios) console.log(`${name}: p50(last) / p50(page 2) = ${value} (target: at most ${TARGET})`);
    await keepResult(`paging ${count}`, { items: count, pageSize: PAGE_SIZE, milliseconds: rows, lastToSecond: Object.fromEntries(ratios) });
    await service.stop();
  } finally {
    await elasticsearch.indices.delete({ index, ignore_unavailable: true });
    await elasticsearch.close();
    await engines.stop();
  }
}

/** Pages at three depths in turn; the first deep one of every round finds nothing counted. */
async function measure(name: string, target: string): Promise<Row[]> {
  const get = async (page: number): Promise<{ pageCount: number; ms: number }> => {
    const start = performance.now();
    const response = await fetch(`${target}&pageSize=${PAGE_SIZE}&page=${page}`);
    const { data, meta } = (await response.json()) as { data: object[]; meta: { pageCount: number } };
    if (response.status !== 200 || data.length === 0) throw new Error(`page ${page}: ${response.status}, ${data.length} items`);
    return { pageCount: meta.pageCount, ms: performance.now() - start };
  };
  const { pageCount } = await get(1);
  const pages = { 'page 2': 2, middle: Math.ceil(pageCount / 2), last: pageCount };
  const times: Record<string, number[]> = { 'page 2': [], middle: [], last: [], 'last, cold': [] };
  for (let i = 0; i < 30; i++) for (const page of Object.values(pages)) await get(page);
  for (let round = 0; round < ROUNDS; round++) {
    await pass(PAUSE_MS);
    const end = performance.now() + ROUND_MS;
    times['last, cold']?.push((await get(pages.last)).ms);
    await get(pages.middle);
    while (performance.now() < end) for (const [depth, page] of Object.entries(pages)) times[depth]?.push((await get(page)).ms);
  }
  const round = (ms: number) => Math.round(ms * 10) / 10;
  return Object.entries(times).map(([page, ms]) => ({
    case: name,
    page,
    number: pages[page as keyof typeof pages] ?? pages.last,
    p50: round(quantile(ms, 0.5)),
    p95: round(quantile(ms, 0.95)),
    samples: ms.length,
  }));
}

function tableRow({ case: name, page, number, p50, p95, samples }: Row): string {
  const figures = [number, p50, p95].map((value) => String(value).padStart(9)).join('');
  return `${name.padEnd(14)} ${page.padEnd(10)}${figures}   (page, p50 ms, p95 ms; ${samples} samples)`;
}

function ratio(rows: Row[], name: string): number {
  const p50 = (page: string) => rows.find((row) => row.case === name && row.page === page)?.p50 ?? Number.NaN;
  return Math.round((p50('last') / p50('page 2')) * 100) / 100;
}

function tell(message: string): void {
  console.error(`# ${message}`);
}

await run();

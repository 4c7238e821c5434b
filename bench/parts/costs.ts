import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { generationNames } from '@vitrine/feed-index';
import { metricOf } from '@vitrine/test/service-process';
import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { get } from '../http-connection.ts';
import { type LogRecord, rebuildEvents } from '../listing-events.ts';
import { cpuSeconds } from '../process-figures.ts';
import type { Row } from '../results.ts';
import { rounded } from '../statistics.ts';
import { pause } from '../time-limit.ts';

/** With the default of 300,000 items, the part uses 30,000 listings. */
const LISTINGS_PER_ITEM = 1 / 10;
const SECONDS = 6;
/** The warm-up lasts until the JIT compilers of both sides have compiled the code. */
const WARM_UP_REQUESTS = 5_000;
/**
 * Elasticsearch updates the sizes of its files at this interval (`index.store.stats_refresh_interval`), plus
 * a margin.
 */
const SIZE_KNOWN_AFTER_MS = 11_000;
const DONE = 'projector_records_total';
const EVENTS_LIMIT_SECONDS = 300;
const REQUESTS_LIMIT_SECONDS = 300;

type Environment = Readonly<Record<string, string>>;

/**
 * Measures the figures from which docs/operate/scaling.md derives its estimates: bytes per item, and CPU time
 * per event and per request, both in our services and in Elasticsearch.
 */
export async function costs(context: BenchContext): Promise<void> {
  const elasticsearch = context.elasticsearchPid;
  const listings = Math.round(context.items * LISTINGS_PER_ITEM);
  const prefix = `bench-${process.pid}-costs`;
  const env = context.deployment(prefix);
  const topic = await context.eventsTopic(prefix);
  context.ownIndices(`${prefix}-*`);
  const projector = await context.projector(env);
  const heapBefore = await heapInUse(context, elasticsearch);

  const { items, states } = generationNames(prefix, 1);
  const apply = async (records: readonly LogRecord[]) => {
    const done = await metricOf(projector.admin, DONE);
    await topic.publish(records);
    while ((await metricOf(projector.admin, DONE)) < done + records.length) await pause(100, context.signal);
    await untilMerged(context, [items, states]);
  };
  const events = [...rebuildEvents(listings, 2)];
  for (const [event, records] of Object.entries({
    snapshot: events.slice(0, listings),
    change: events.slice(listings),
  })) {
    const cost = await context.step(`${event} events`, EVENTS_LIMIT_SECONDS, () =>
      cpuPerEvent(records, { projector: projector.pid, elasticsearch }, () => apply(records)),
    );
    const { projector: ours, elasticsearch: theirs } = cost;
    context.report(rows(`${event} event, `, 'CPU µs', { projector: ours, elasticsearch: theirs }), {
      [`${event} event`]: cost,
    });
  }

  for (const how of ['as written', 'merged'] as const) {
    if (how === 'merged')
      await context.elasticsearch.indices.forcemerge({ index: [items, states], max_num_segments: 1 });
    const bytes = await storedBytes(context, prefix, listings);
    context.report(rows('', 'bytes', bytes, ` index, ${how}, per listing`), { [`stored, ${how}`]: bytes });
  }
  context.report([], { listings, heapBytes: (await heapInUse(context, elasticsearch)) - heapBefore });

  const city = (number: number) =>
    `/api/public-feed?city=city-${number % 40}&page=${1 + (number % 20)}&pageSize=20`;
  const agent = (number: number) =>
    `/api/ai-feed?city=city-${number % 40}&page=${1 + (number % 5)}&pageSize=100`;
  const requests: Record<string, [target: (number: number) => string, settings: Environment]> = {
    cached: [() => city(3), {}],
    uncached: [city, UNCACHED],
    'uncached, 100 items with calendars': [agent, UNCACHED],
  };
  for (const [name, [target, settings]] of Object.entries(requests)) {
    const cost = await context.step(`${name} page`, REQUESTS_LIMIT_SECONDS, () =>
      cpuPerRequest(context, prefix, elasticsearch, target, settings),
    );
    context.report(rows(`${name} page, `, 'CPU µs', cost), { [`${name} page`]: cost });
  }
}

/** Makes one row per figure. The figure's name stands between `before` and `after`. */
const rows = (
  before: string,
  unit: Row['unit'],
  figures: Readonly<Record<string, number>>,
  after = '',
): Row[] =>
  Object.entries(figures).map(([name, ours]) => ({ measure: `${before}${name}${after}`, unit, ours }));

/**
 * Measures the projector's and Elasticsearch's CPU µs per event, including all merges, and the mean size of
 * the events in bytes.
 */
async function cpuPerEvent(
  records: readonly LogRecord[],
  pids: { projector: number; elasticsearch: number },
  apply: () => Promise<void>,
): Promise<{ projector: number; elasticsearch: number; bytes: number }> {
  const [projector, elasticsearch] = [await cpuSeconds(pids.projector), await cpuSeconds(pids.elasticsearch)];
  await apply();
  const perEvent = (seconds: number) => rounded((seconds * 1e6) / records.length);
  const bytes = records.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  return {
    projector: perEvent((await cpuSeconds(pids.projector)) - projector),
    elasticsearch: perEvent((await cpuSeconds(pids.elasticsearch)) - elasticsearch),
    bytes: Math.round(bytes / records.length),
  };
}

/**
 * Measures the query service's and Elasticsearch's CPU µs per request, with two concurrent requests.
 */
async function cpuPerRequest(
  context: BenchContext,
  prefix: string,
  elasticsearch: number,
  target: (number: number) => string,
  settings: Environment,
): Promise<{ query: number; elasticsearch: number }> {
  const service = await context.query(prefix, settings);
  const run = () =>
    context.load({
      port: service.port,
      request: (n) => get(target(n)),
      connections: 2,
      seconds: SECONDS,
    });
  for (let warm = 0; warm < WARM_UP_REQUESTS; ) warm += (await run()).requests;
  const [ours, theirs] = [await cpuSeconds(service.pid), await cpuSeconds(elasticsearch)];
  const { requests } = await run();
  const perRequest = (seconds: number) => rounded((seconds * 1e6) / requests);
  const cost = {
    query: perRequest((await cpuSeconds(service.pid)) - ours),
    elasticsearch: perRequest((await cpuSeconds(elasticsearch)) - theirs),
  };
  await service.stop();
  return cost;
}

/** Resolves when no merge is running. */
async function untilMerged({ elasticsearch, signal }: BenchContext, index: string[]): Promise<void> {
  await elasticsearch.indices.flush({ index });
  do await pause(1_000, signal);
  while (
    ((await elasticsearch.indices.stats({ index, metric: 'merge' }))._all.total?.merges?.current ?? 0) > 0
  );
}

/** Bytes per listing in the files of the primary shards. */
async function storedBytes(
  { elasticsearch, signal }: BenchContext,
  prefix: string,
  listings: number,
): Promise<{ items: number; states: number }> {
  const { items, states } = generationNames(prefix, 1);
  await pause(SIZE_KNOWN_AFTER_MS, signal);
  const { indices } = await elasticsearch.indices.stats({ index: [items, states], metric: 'store' });
  const perListing = (index: string) =>
    Math.round((indices?.[index]?.primaries?.store?.size_in_bytes ?? Number.NaN) / listings);
  return { items: perListing(items), states: perListing(states) };
}

/** The bytes in use in Elasticsearch's heap after a full collection. */
async function heapInUse({ elasticsearch }: BenchContext, pid: number): Promise<number> {
  await promisify(execFile)('jcmd', [String(pid), 'GC.run']);
  const { nodes } = await elasticsearch.nodes.stats({ metric: 'jvm' });
  return Object.values(nodes).reduce((sum, { jvm }) => sum + (jvm?.mem?.heap_used_in_bytes ?? 0), 0);
}

import { execFile } from 'node:child_process';
import { setTimeout as pass } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generationNames } from '@vitrine/feed-index';
import { type Arena, UNCACHED } from '../arena.ts';
import { get } from '../connection.ts';
import { createEventsTopic, type LogRecord } from '../listing-log.ts';
import { load } from '../load.ts';
import { TODAY } from '../market.ts';
import { cpuSeconds } from '../process-figures.ts';
import { metric, startProjector, startQuery } from '../processes.ts';
import { rebuildLog } from '../rebuild-log.ts';
import type { PartResult, Row } from '../results.ts';
import { rounded } from '../statistics.ts';

/** 30,000 for the default of 300,000 items. */
const LISTINGS_AN_ITEM = 1 / 10;
const SECONDS = 6;
/** Until both sides' code is compiled. */
const WARM_UP_REQUESTS = 5_000;
/** Elasticsearch looks at the size of its files so often (`index.store.stats_refresh_interval`). */
const SIZE_KNOWN_AFTER_MS = 11_000;
const DONE = 'projector_records_total';

/** What docs/operate/scaling.md multiplies: bytes of an item, CPU time of an event and of a request, on our side and on Elasticsearch's. */
export async function costs(arena: Arena): Promise<PartResult> {
  const { KAFKA_BROKERS, ELASTICSEARCH_URL } = arena.engines.settings;
  const elasticsearch = arena.engines.elasticsearch?.pid;
  if (elasticsearch === undefined) throw new Error('the CPU time of an Elasticsearch that the environment names cannot be read');
  const listings = Math.round(arena.items * LISTINGS_AN_ITEM);
  const prefix = `bench-${process.pid}-costs`;
  const env = { KAFKA_BROKERS, ELASTICSEARCH_URL, LISTING_EVENTS_TOPIC: prefix, INDEX_PREFIX: prefix, CONSUMER_GROUP: prefix };
  const topic = await createEventsTopic(KAFKA_BROKERS, prefix);
  const projector = await startProjector(env);
  const indices = [generationNames(prefix, 1).items, generationNames(prefix, 1).states];
  const heapBefore = await heapInUse(arena, elasticsearch);

  /** CPU µs an event, of the projector and of Elasticsearch, with all that it merges afterwards. */
  const perEvent = async (records: readonly LogRecord[]) => {
    const [done, ours, theirs] = [await metric(projector.admin, DONE), await cpuSeconds(projector.pid), await cpuSeconds(elasticsearch)];
    await topic.publish(records);
    while ((await metric(projector.admin, DONE)) < done + records.length) await pass(100);
    await merged(arena, indices);
    const bytes = records.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
    return {
      projector: rounded((((await cpuSeconds(projector.pid)) - ours) * 1e6) / records.length),
      elasticsearch: rounded((((await cpuSeconds(elasticsearch)) - theirs) * 1e6) / records.length),
      bytes: Math.round(bytes / records.length),
    };
  };
  /** CPU µs a request, of the service and of Elasticsearch, two requests under way. */
  const perRequest = async (target: (number: number) => string, settings: Record<string, string>) => {
    const service = await startQuery({ ...env, FEED_TODAY: TODAY, RATE_LIMIT: '999999999', PROCESSES: '1', ...settings });
    const asked = () => load({ port: service.port, request: (n) => get(target(n)), connections: 2, seconds: SECONDS, status: 200 });
    try {
      for (let warm = 0; warm < WARM_UP_REQUESTS; ) warm += (await asked()).requests;
      const [ours, theirs] = [await cpuSeconds(service.pid), await cpuSeconds(elasticsearch)];
      const { requests } = await asked();
      const each = (seconds: number) => rounded((seconds * 1e6) / requests);
      return { query: each((await cpuSeconds(service.pid)) - ours), elasticsearch: each((await cpuSeconds(elasticsearch)) - theirs) };
    } finally {
      await service.stop();
    }
  };

  try {
    const log = [...rebuildLog(listings, 2)];
    const events = { snapshot: await perEvent(log.slice(0, listings)), change: await perEvent(log.slice(listings)) };
    const asWritten = await storedBytes(arena, prefix, listings);
    await arena.elasticsearch.indices.forcemerge({ index: indices, max_num_segments: 1 });
    const stored = { asWritten, merged: await storedBytes(arena, prefix, listings) };
    const heapBytes = (await heapInUse(arena, elasticsearch)) - heapBefore;
    const city = (number: number) => `/api/public-feed?city=city-${number % 40}&page=${1 + (number % 20)}&pageSize=20`;
    const agent = (number: number) => `/api/ai-feed?city=city-${number % 40}&page=${1 + (number % 5)}&pageSize=100`;
    const requests = {
      cached: await perRequest(() => city(3), {}),
      uncached: await perRequest(city, UNCACHED),
      'uncached, 100 items with calendars': await perRequest(agent, UNCACHED),
    };
    const row = (measure: string, unit: Row['unit'], ours: number): Row => ({ measure, unit, ours });
    return {
      rows: [
        ...Object.entries(stored).flatMap(([how, bytes]) =>
          (['items', 'states'] as const).map((kind) =>
            row(`${kind} index, ${how === 'merged' ? 'merged' : 'as written'}, a listing`, 'bytes', bytes[kind]),
          ),
        ),
        ...Object.entries(events).flatMap(([event, cost]) =>
          (['projector', 'elasticsearch'] as const).map((side) => row(`${event} event, ${side}`, 'CPU µs', cost[side])),
        ),
        ...Object.entries(requests).flatMap(([request, cost]) =>
          (['query', 'elasticsearch'] as const).map((side) => row(`${request} page, ${side}`, 'CPU µs', cost[side])),
        ),
      ],
      figures: { listings, stored, events, requests, heapBytes },
    };
  } finally {
    await projector.stop();
    await arena.elasticsearch.indices.delete({ index: Object.keys(await arena.elasticsearch.indices.get({ index: `${prefix}-*` })) });
    await topic.close();
  }
}

/** Resolves when nothing is merged any longer. */
async function merged({ elasticsearch }: Arena, index: string[]): Promise<void> {
  await elasticsearch.indices.flush({ index });
  do await pass(1_000);
  while (((await elasticsearch.indices.stats({ index, metric: 'merge' }))._all.total?.merges?.current ?? 0) > 0);
}

async function storedBytes({ elasticsearch }: Arena, prefix: string, listings: number): Promise<{ items: number; states: number }> {
  const { items, states } = generationNames(prefix, 1);
  await pass(SIZE_KNOWN_AFTER_MS);
  const { indices } = await elasticsearch.indices.stats({ index: [items, states], metric: 'store' });
  const each = (index: string) => Math.round((indices?.[index]?.primaries?.store?.size_in_bytes ?? Number.NaN) / listings);
  return { items: each(items), states: each(states) };
}

/** Bytes of Elasticsearch's heap that are held after a full collection. */
async function heapInUse({ elasticsearch }: Arena, pid: number): Promise<number> {
  await promisify(execFile)('jcmd', [String(pid), 'GC.run']);
  const { nodes } = await elasticsearch.nodes.stats({ metric: 'jvm' });
  return Object.values(nodes).reduce((sum, { jvm }) => sum + (jvm?.mem?.heap_used_in_bytes ?? 0), 0);
}

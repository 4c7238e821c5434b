import { setTimeout as pass } from 'node:timers/promises';
import { generationNames, type ItemDocument, itemsIndexBody, registryIndex } from '@vitrine/feed-index';
import { spawnService } from '../../test/support/service-process.ts';
import { type Arena, UNCACHED } from '../arena.ts';
import { inBatches } from '../batches.ts';
import { Connection, get } from '../connection.ts';
import { createEventsTopic } from '../listing-log.ts';
import { startProjector } from '../processes.ts';
import { rebuildLog } from '../rebuild-log.ts';
import type { PartResult, Row } from '../results.ts';
import { median, quantile, rounded } from '../statistics.ts';

/** Long enough that the seconds which a process takes to start do not decide. */
const LISTINGS_AN_ITEM = 1 / 3;
const ROUNDS = 3;
/** As the projector's own requests are. */
const ITEMS_A_REQUEST = 1_000;
const REQUESTS_UNDER_WAY = 2;
const READS_A_SECOND = 40;
const QUIET_MS = 20_000;
/** As fast as one connection goes: some thousand requests, so that nobody is measured who has just started. */
const WARM_UP_MS = 10_000;
/** Listings a second for an operator who spares the readers. */
const GENTLE = 1_500;
/** For one who does not: with a rate, readers are not asked after. */
const UNBOUNDED = 1_000_000;

/** What readers felt of a rebuild, p99 in ms, and of the quiet before and after it; and how fast it went. */
interface Felt {
  p99: number;
  quiet: number;
  listingsPerSecond: number;
}

const pageRequest = (number: number): Buffer => get(`/api/public-feed?pageSize=20&page=${1 + (number % 40)}`);

interface Rebuilt {
  generation: number;
  listingsPerSecond: number;
}

/** What a rebuild costs, against a raw `_bulk` of the very same item documents before and after it; and what readers feel of it. */
export async function replay(arena: Arena): Promise<PartResult> {
  const listings = Math.round(arena.items * LISTINGS_AN_ITEM);
  const one = await withMarket(arena, listings, 1, async (env, items) => {
    const topic = await against(arena, env, items, []);
    const states = await against(arena, env, items, ['--from', 'states']);
    return { topic, states, readers: await readersDuring(arena, env, listings) };
  });
  const five = await withMarket(arena, Math.round(listings / 2), 5, async (env, items) => ({ topic: await against(arena, env, items, []) }));
  const row = (measure: string, { ours, raw, ratio }: Against, atLeast?: number): Row => ({
    measure,
    unit: 'listings/s',
    ours,
    peer: { name: 'raw _bulk', figure: raw },
    ratio,
    ...(atLeast !== undefined && { target: { atLeast } }),
  });
  const readers = (what: string, { p99, quiet, listingsPerSecond }: Felt, atMost?: number): Row => ({
    measure: `p99 of the feed while ${what} runs`,
    unit: 'ms',
    ours: p99,
    peer: { name: 'without', figure: quiet },
    ratio: rounded(p99 / quiet),
    ...(atMost !== undefined && { target: { atMost } }),
    note: `${rounded(listingsPerSecond)} listings/s meanwhile`,
  });
  return {
    rows: [
      row('replay from the topic, one event a listing', one.topic, 0.5),
      row('replay from the topic, five events a listing', five.topic),
      row('replay --from states', one.states, 0.6),
      readers('the first replay beside readers', one.readers.first),
      readers('replay', one.readers.topic, 3),
      readers('replay --from states', one.readers.states, 3),
      readers(`replay --rate ${GENTLE}`, one.readers.gentle, 3),
      readers('replay at full speed (--rate 1000000)', one.readers.hurried),
    ],
    figures: { one, five },
  };
}

type Environment = Record<string, string>;

/** A market that the projector has built live, on a topic and indices of its own. */
async function withMarket<T>(
  arena: Arena,
  listings: number,
  eventsEach: number,
  work: (env: Environment, items: string[]) => Promise<T>,
): Promise<T> {
  const { KAFKA_BROKERS, ELASTICSEARCH_URL } = arena.engines.settings;
  const prefix = `bench-${process.pid}-replay-${eventsEach}`;
  const env = { KAFKA_BROKERS, ELASTICSEARCH_URL, LISTING_EVENTS_TOPIC: prefix, INDEX_PREFIX: prefix, CONSUMER_GROUP: prefix };
  const topic = await createEventsTopic(KAFKA_BROKERS, prefix);
  await topic.publish(rebuildLog(listings, eventsEach));
  const projector = await startProjector(env);
  try {
    const { items } = generationNames(prefix, 1);
    while ((await arena.elasticsearch.count({ index: items })).count < listings) await pass(500);
    // All but the first event of a listing change it only: the count alone does not say that they are done.
    await pass(eventsEach > 1 ? 10_000 : 2_000);
    arena.tell(`${listings} listings of ${eventsEach} event(s) are live`);
    const documents: string[] = [];
    for await (const item of arena.elasticsearch.helpers.scrollDocuments<ItemDocument>({ index: items, size: 1_000 }))
      documents.push(`{"index":{"_id":${JSON.stringify(item.id)}}}\n${JSON.stringify(item)}\n`);
    return await work(env, documents);
  } finally {
    await projector.stop();
    await arena.elasticsearch.indices.delete({ index: Object.keys(await arena.elasticsearch.indices.get({ index: `${prefix}-*` })) });
    await topic.close();
  }
}

interface Against {
  ours: number;
  raw: number;
  ratio: number;
}

async function against(arena: Arena, env: Environment, items: string[], args: string[]): Promise<Against & { rounds: Against[] }> {
  const rounds: Against[] = [];
  let before = await rawBulk(arena, env, items);
  for (let round = 0; round < ROUNDS; round++) {
    const { generation, listingsPerSecond } = await rebuild(arena, env, items.length, args);
    await command(env, ['prune', String(generation)]);
    const after = await rawBulk(arena, env, items);
    const raw = (before + after) / 2;
    rounds.push({ ours: rounded(listingsPerSecond), raw: rounded(raw), ratio: rounded(listingsPerSecond / raw) });
    arena.tell(`replay ${args.join(' ')}: ${JSON.stringify(rounds.at(-1))}`);
    before = after;
  }
  const middle = (pick: (one: Against) => number) => median(rounds.map(pick));
  return { ours: middle(({ ours }) => ours), raw: middle(({ raw }) => raw), ratio: middle(({ ratio }) => ratio), rounds };
}

/** By the clock, from the command's start until the generation is complete and can be searched. */
async function rebuild(arena: Arena, env: Environment, listings: number, args: string[]): Promise<Rebuilt> {
  const start = performance.now();
  const done = command(env, ['replay', ...args]);
  let isOver = false;
  const ready = (async () => {
    for (; !isOver; await pass(100)) {
      const { _source } = await arena.elasticsearch.get<{ registry: { generations: { number: number; phase: string }[] } }>({
        index: registryIndex(env.INDEX_PREFIX as string),
        id: 'registry',
      });
      const [, newest] = _source?.registry.generations ?? [];
      if (newest?.phase === 'ready') return { generation: newest.number, took: performance.now() - start };
    }
    throw new Error('the replay was over before its generation was ready');
  })();
  const { generation, took } = await Promise.all([ready, done.finally(() => setTimeout(() => (isOver = true), 1_000))]).then(([first]) => first);
  return { generation, listingsPerSecond: listings / (took / 1_000) };
}

async function command(env: Environment, args: string[]): Promise<void> {
  const started = spawnService('cli', { LOG_LEVEL: 'error', ...env }, args);
  const code = await started.exited;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${started.log()}`);
}

/** How many of these documents a second Elasticsearch takes, as text that was made before. */
async function rawBulk({ elasticsearch }: Arena, { INDEX_PREFIX }: Environment, items: string[]): Promise<number> {
  const index = `${INDEX_PREFIX}-raw`;
  const body = itemsIndexBody();
  await elasticsearch.indices.create({ index, ...body, settings: { ...body.settings, refresh_interval: -1 } });
  const requests = Array.from(inBatches(items, ITEMS_A_REQUEST), (batch) => batch.join('')).values();
  const start = performance.now();
  const write = async () => {
    for (const operations of requests) {
      const { errors } = await elasticsearch.bulk({ index, operations: [operations] as never });
      if (errors) throw new Error('an item was refused');
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_UNDER_WAY }, write));
  await elasticsearch.indices.refresh({ index });
  const perSecond = items.length / ((performance.now() - start) / 1_000);
  await elasticsearch.indices.delete({ index });
  return perSecond;
}

/** 99th percentiles in ms of pages at a fixed rate: without, and during rebuilds. Nothing is answered from a cache. */
async function readersDuring(
  arena: Arena,
  env: Environment,
  listings: number,
): Promise<Record<'first' | 'topic' | 'states' | 'gentle' | 'hurried', Felt>> {
  const query = await arena.query(env.INDEX_PREFIX as string, UNCACHED);
  const read = async (isOver: () => boolean): Promise<number> => {
    const times: number[] = [];
    const idle: Connection[] = [];
    const underWay: Promise<void>[] = [];
    for (let number = 0; !isOver(); number++) {
      const ask = async () => {
        const connection = idle.pop() ?? new Connection(query.port);
        const start = performance.now();
        const { status } = await connection.send(pageRequest(number));
        if (status !== 200) throw new Error(`answered ${status} during a rebuild`);
        times.push(performance.now() - start);
        idle.push(connection);
      };
      underWay.push(ask());
      await pass(1_000 / READS_A_SECOND);
    }
    await Promise.all(underWay);
    for (const connection of idle) connection.close();
    return rounded(quantile(times, 0.99));
  };
  const during = async (...args: string[]): Promise<Omit<Felt, 'quiet'>> => {
    let isOver = false;
    const rebuilt = rebuild(arena, env, listings, args).finally(() => {
      isOver = true;
    });
    const p99 = await read(() => isOver);
    const { generation, listingsPerSecond } = await rebuilt;
    await command(env, ['prune', String(generation)]);
    arena.tell(`p99 during replay ${args.join(' ')}: ${p99} ms, ${Math.round(listingsPerSecond)} listings/s`);
    return { p99, listingsPerSecond };
  };
  const quietly = async (): Promise<number> => {
    const end = Date.now() + QUIET_MS;
    return read(() => Date.now() > end);
  };
  try {
    const connection = new Connection(query.port);
    for (let number = 0, end = Date.now() + WARM_UP_MS; Date.now() < end; number++) await connection.send(pageRequest(number));
    connection.close();
    let before = await quietly();
    const felt: Felt[] = [];
    // The first time that it searches and builds at once, Elasticsearch compiles for it: that time has a row of its own.
    for (const args of [[], [], ['--from', 'states'], ['--rate', String(GENTLE)], ['--rate', String(UNBOUNDED)]]) {
      const { p99, listingsPerSecond } = await during(...args);
      const after = await quietly();
      felt.push({ p99, listingsPerSecond, quiet: rounded((before + after) / 2) });
      before = after;
    }
    const [first, topic, states, gentle, hurried] = felt as [Felt, Felt, Felt, Felt, Felt];
    return { first, topic, states, gentle, hurried };
  } finally {
    await query.stop();
  }
}

/**
 * What a rebuild costs: `node bench/replay.ts [listings]`, 60,000 unless told. Against a raw `_bulk` of
 * the very same item documents, before and after each rebuild; and what readers feel of it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { startEngines } from '@vitrine/engines';
import { generationNames, type ItemDocument, itemsIndexBody } from '@vitrine/feed-index';
import { createElasticsearch, createKafka, createLog } from '@vitrine/runtime';
import { eventsOf, publishAll } from './replay-market.ts';
import { keepResult, quantile } from './results.ts';

const listings = Number(process.argv[2] ?? 60_000);
const ROOT = join(import.meta.dirname, '..');
const QUIET_MS = 30_000;
const REQUESTS_A_SECOND = 40;
const BULK_BYTES = 5 * 1024 * 1024;

const tell = (message: string) => console.error(`# ${message}`);
const rounded = (value: number, digits = 2) => Number(value.toFixed(digits));

async function run(): Promise<void> {
  const engines = await startEngines({ elasticsearchHeap: '3g', onProgress: tell });
  const elasticsearch = createElasticsearch({ url: engines.settings.ELASTICSEARCH_URL, requestTimeout: 120_000, maxRetries: 3 });
  const results: Record<string, unknown> = { listings };
  try {
    results.oneEvent = await measure('one', 1, engines.settings, elasticsearch, true);
    results.fiveEvents = await measure('five', 5, engines.settings, elasticsearch, false);
    console.log(JSON.stringify(results, null, 2));
    await keepResult(`replay ${listings}`, results);
  } finally {
    await elasticsearch.close();
    await engines.stop();
  }
}

/** One market: built live, rebuilt from the topic and from the states, a raw bulk around each. */
async function measure(name: string, eventsEach: number, engines: Record<string, string>, elasticsearch: Client, withReaders: boolean) {
  const prefix = `bench-replay-${name}-${process.pid}`;
  const env = { ...process.env, ...engines, INDEX_PREFIX: prefix, CONSUMER_GROUP: prefix, LISTING_EVENTS_TOPIC: `${prefix}.events` };
  const kafka = createKafka(engines.KAFKA_BROKERS as string, createLog('bench', 'silent'));
  const count = eventsEach === 1 ? listings : Math.ceil(listings / 2);
  await publishAll(kafka, env.LISTING_EVENTS_TOPIC, eventsOf(count, eventsEach));
  tell(`${count} listings, ${eventsEach} event(s) each, are published`);
  const projector = child(['--max-old-space-size=256', '--max-semi-space-size=4', 'services/projector/src/main.ts'], {
    ...env,
    ADMIN_PORT: '0',
    LOG_LEVEL: 'warn',
  });
  try {
    await untilCount(elasticsearch, generationNames(prefix, 1).items, count);
    const items = await itemsOf(elasticsearch, generationNames(prefix, 1).items);
    const raw = async () => rawBulk(elasticsearch, `${prefix}-raw`, items);
    const replay = async (...args: string[]) => {
      const started = performance.now();
      const { generation, readyAt } = await cliReplay(env, args);
      const perSecond = count / ((readyAt - started) / 1_000);
      await cli(env, 'prune', String(generation));
      tell(`replay ${args.join(' ')}: ${Math.round(perSecond)} listings/s`);
      return perSecond;
    };
    const rows: Record<string, unknown> = {};
    for (const [row, args] of [
      ['topic', []],
      ['states', ['--from', 'states']],
    ] as const) {
      const samples: { raw: number; replay: number; ratio: number }[] = [];
      for (let round = 0; round < 3; round++) {
        const before = await raw();
        const replayed = await replay(...args);
        const after = await raw();
        samples.push({ raw: Math.round((before + after) / 2), replay: Math.round(replayed), ratio: rounded((2 * replayed) / (before + after)) });
      }
      rows[row] = {
        samples,
        medianRatio: quantile(
          samples.map(({ ratio }) => ratio),
          0.5,
        ),
      };
    }
    return { listings: count, eventsEach, ...rows, ...(withReaders && { readers: await readersDuring(env) }) };
  } finally {
    projector.kill('SIGTERM');
    await once(projector, 'exit');
    await elasticsearch.indices.delete({ index: Object.keys(await elasticsearch.indices.get({ index: `${prefix}-*` })) });
  }
}

const child = (args: string[], env: NodeJS.ProcessEnv) => spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });

async function cli(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Record<string, unknown>> {
  const command = child(['services/projector/src/cli/main.ts', ...args, '--json'], { ...env, LOG_LEVEL: 'error' });
  let output = '';
  command.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = (await once(command, 'close')) as [number];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return JSON.parse(output) as Record<string, unknown>;
}

/** The moment at which the generation is complete and searchable: the hand-over to the projector is not counted. */
async function cliReplay(env: NodeJS.ProcessEnv, args: string[]): Promise<{ generation: number; readyAt: number }> {
  const elasticsearch = createElasticsearch({ url: env.ELASTICSEARCH_URL as string, requestTimeout: 10_000, maxRetries: 3 });
  const done = cli(env, 'replay', ...args);
  let readyAt = 0;
  const watch = (async () => {
    while (readyAt === 0) {
      await sleep(100);
      const found = await elasticsearch.get<{ registry: { last: number; generations: { number: number; phase: string }[] } }>({
        index: `${env.INDEX_PREFIX}-generations`,
        id: 'registry',
      });
      const newest = found._source?.registry.generations.at(-1);
      if (newest && newest.number > 1 && newest.phase === 'ready') readyAt = performance.now();
    }
  })();
  const [{ generation }] = await Promise.all([done, watch]);
  await elasticsearch.close();
  return { generation: generation as number, readyAt };
}

/** How many documents a second Elasticsearch takes, in requests of the size that the projector sends, two under way. */
async function rawBulk(elasticsearch: Client, index: string, items: readonly ItemDocument[]): Promise<number> {
  const body = itemsIndexBody();
  await elasticsearch.indices.create({ index, ...body, settings: { ...body.settings, refresh_interval: -1 } });
  const bodies: string[] = [];
  let lines: string[] = [];
  let bytes = 0;
  for (const item of items) {
    const line = `{"index":{"_id":${JSON.stringify(item.id)}}}\n${JSON.stringify(item)}\n`;
    lines.push(line);
    bytes += line.length;
    if (bytes > BULK_BYTES) {
      bodies.push(lines.join(''));
      lines = [];
      bytes = 0;
    }
  }
  bodies.push(lines.join(''));
  const started = performance.now();
  const queue = bodies.values();
  const writer = async () => {
    for (const operations of queue) {
      const { errors } = await elasticsearch.bulk({ index, operations: [operations] as never });
      if (errors) throw new Error('an item was refused');
    }
  };
  await Promise.all([writer(), writer()]);
  await elasticsearch.indices.refresh({ index });
  const perSecond = items.length / ((performance.now() - started) / 1_000);
  await elasticsearch.indices.delete({ index });
  tell(`raw _bulk: ${Math.round(perSecond)} items/s`);
  return perSecond;
}

async function untilCount(elasticsearch: Client, index: string, count: number): Promise<void> {
  for (let found = 0; found < count; ) {
    await sleep(1_000);
    found = (await elasticsearch.count({ index }).catch(() => ({ count: 0 }))).count;
  }
}

async function itemsOf(elasticsearch: Client, index: string): Promise<ItemDocument[]> {
  const items: ItemDocument[] = [];
  for await (const item of elasticsearch.helpers.scrollDocuments<ItemDocument>({ index, size: 1_000 })) items.push(item);
  return items;
}

/** Latencies of the feed at a fixed number of requests a second: alone, and while a rebuild runs. */
async function readersDuring(env: NodeJS.ProcessEnv) {
  const query = child(['services/query/src/main.ts'], { ...env, PORT: '18080', ADMIN_PORT: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'error' });
  try {
    const read = async (until: () => boolean): Promise<number[]> => {
      const latencies: number[] = [];
      const underWay = new Set<Promise<void>>();
      for (let n = 0; !until(); n++) {
        const started = performance.now();
        const request = fetch(`http://127.0.0.1:18080/api/public-feed?pageSize=20&page=${1 + (n % 200)}`)
          .then(async (response) => {
            await response.text();
            if (response.status !== 200) throw new Error(`answered ${response.status}`);
            latencies.push(performance.now() - started);
          })
          .finally(() => underWay.delete(request));
        underWay.add(request);
        await sleep(1_000 / REQUESTS_A_SECOND);
      }
      await Promise.all(underWay);
      return latencies;
    };
    for (;;) {
      await sleep(500);
      if ((await fetch('http://127.0.0.1:18080/api/public-feed').catch(() => undefined))?.status === 200) break;
    }
    const ended = (after: number) => {
      const end = Date.now() + after;
      return () => Date.now() > end;
    };
    await read(ended(5_000));
    const quiet = await read(ended(QUIET_MS));
    const during = async (...args: string[]) => {
      let isOver = false;
      const replay = cliReplay(env, args).finally(() => {
        isOver = true;
      });
      const latencies = await read(() => isOver);
      await cli(env, 'prune', String((await replay).generation));
      return latencies;
    };
    const rows = Object.fromEntries(
      Object.entries({ quiet, topic: await during(), states: await during('--from', 'states') }).map(([name, latencies]) => [
        name,
        { p50: rounded(quantile(latencies, 0.5)), p99: rounded(quantile(latencies, 0.99)), samples: latencies.length },
      ]),
    );
    const ratio = (name: string) => rounded((rows[name]?.p99 ?? Number.NaN) / (rows.quiet?.p99 ?? Number.NaN));
    return { milliseconds: rows, p99Ratio: { topic: ratio('topic'), states: ratio('states') } };
  } finally {
    query.kill('SIGTERM');
    await once(query, 'exit');
  }
}

await run();

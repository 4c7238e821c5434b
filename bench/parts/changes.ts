import { isDeepStrictEqual } from 'node:util';
import { changeNumber, generationNames, itemsAlias } from '@vitrine/feed-index';
import { bareRow, compareWithBare, PROCESSES, startBareServer } from '../bare-comparison.ts';
import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { ensureChangesIndex, writeChanges } from '../changes-index.ts';
import { CountingReader } from '../counting-reader.ts';
import { datasetId } from '../dataset.ts';
import { get, type HttpRequest, post } from '../http-connection.ts';
import { compared } from '../results.ts';
import { alternate, medianOf, percentiles } from '../statistics.ts';
import { EVENTS_PER_SECOND, startSteadyMarket, timeToFind } from '../steady-events.ts';
import type { Subject } from '../subjects.ts';
import { pause } from '../time-limit.ts';

const AT_LEAST = 0.8;
const CONNECTIONS = 16;
const SECONDS = 5;
/** The JIT compilers of the service and of Elasticsearch need thousands of requests. */
const WARM_UP_SECONDS = 20;
const ROUNDS = 5;
const LIMIT = 100;
const DIFFERENT_PAGES = 200;
const REFUSALS = [503];
const VISIBLE_WITHIN_MS = 3_000;
/** A follower polls every minute. With 300,000 items and 3,000 changes per day, a poll finds about two. */
const POLLS_PER_DAY = 1_440;
const CHANGED_SHARE = 0.01;
const CRAWL_PAGE = 100;
/** Views and pages of changes are at most 2 s old. */
const NOTICED_MS = 2_500;

/** Measures pages of changes: cached, uncached, how soon they show an event, and a follower's bytes. */
export async function changes(context: BenchContext): Promise<void> {
  const prefix = await context.dataset(context.items);
  await ensureChangesIndex(context, prefix, context.items);
  await cachedPages(context, prefix);
  await uncachedPages(context, prefix);
  await timeToVisible(context);
  await bytesPerDay(context, prefix);
}

/** A full page of the default size, and the empty page that a follower polls. */
async function cachedPages(context: BenchContext, prefix: string): Promise<void> {
  const service = await context.query(prefix, { PROCESSES: String(PROCESSES) });
  for (const [measure, target] of [
    ['cached page of 500 changes', '/api/changes'],
    ['cached empty page of changes', `/api/changes?afterChangeNumber=${Number.MAX_SAFE_INTEGER}`],
  ] as const) {
    const bare = await startBareServer(context, service, target);
    const rounds = await context.step(measure, 120, () =>
      compareWithBare(context, service, bare, { status: 200, request: get(target) }),
    );
    await bare.stop();
    context.report([bareRow(measure, rounds, AT_LEAST)], { [measure]: rounds });
  }
  await service.stop();
}

/**
 * Pages of 100 changes at different places, relative to one search that returns the same items, and to two
 * programs that also send two requests per page: the naive service, and a relay that only returns the bytes.
 */
async function uncachedPages(context: BenchContext, prefix: string): Promise<void> {
  const { items, changes: entries } = generationNames(prefix, 1);
  const service = await context.query(prefix, UNCACHED);
  const naive = await context.peer('peers/naive-service.ts', {
    ELASTICSEARCH_URL: context.engines.settings.ELASTICSEARCH_URL,
    INDEX: items,
    CHANGES_INDEX: entries,
  });
  const relay = await context.peer('peers/relay.ts', {
    ELASTICSEARCH_PORT: String(context.elasticsearchPort),
  });
  const pages = Math.min(DIFFERENT_PAGES, Math.floor(context.items / LIMIT));
  const starts = Array.from({ length: pages }, (_, page) => page * LIMIT);
  const ours = starts.map((start) =>
    get(`/api/changes?afterChangeNumber=${changeNumber(1, start)}&limit=${LIMIT}`),
  );
  const idsAfter = (start: number) => Array.from({ length: LIMIT }, (_, i) => datasetId(start + 1 + i));
  const raw = starts.map((start) =>
    post(`/${itemsAlias(prefix)}/_search`, {
      size: LIMIT,
      track_total_hits: false,
      query: { ids: { values: idsAfter(start) } },
    }),
  );
  const relayed = starts.map((start) =>
    post('/', [
      {
        path: `/${entries}/_search`,
        body: {
          size: LIMIT,
          track_total_hits: false,
          query: { range: { _seq_no: { gt: start } } },
          sort: [{ _seq_no: 'asc' }],
        },
      },
      { path: `/${items}/_mget`, body: { ids: idsAfter(start) } },
    ]),
  );
  const run = (port: number, request: readonly HttpRequest[], seconds: number) =>
    context.load({ port, request, connections: CONNECTIONS, seconds, refusals: REFUSALS });
  const figures = await context.step('uncached pages of changes', 300, async () => {
    const itemsOf = async ({ port }: Subject): Promise<unknown> => {
      const { body } = await context.connect(port).send(ours[1] as HttpRequest);
      return (JSON.parse(body.toString()) as { items: unknown }).items;
    };
    if (!isDeepStrictEqual(await itemsOf(naive), await itemsOf(service)))
      throw new Error('the pages of changes differ');
    await run(service.port, ours, WARM_UP_SECONDS);
    await run(naive.port, ours, WARM_UP_SECONDS);
    await run(relay.port, relayed, WARM_UP_SECONDS);
    await run(context.elasticsearchPort, raw, WARM_UP_SECONDS);
    return alternate(ROUNDS, {
      service: () => run(service.port, ours, SECONDS),
      naive: () => run(naive.port, ours, SECONDS),
      relay: () => run(relay.port, relayed, SECONDS),
      raw: () => run(context.elasticsearchPort, raw, SECONDS),
    });
  });
  await relay.stop();
  await naive.stop();
  await service.stop();
  const rate = (name: keyof typeof figures) => medianOf(figures[name], 'requestsPerSecond');
  const measure = `uncached page of ${LIMIT} changes, ${CONNECTIONS} connections`;
  const row = (name: string, figure: number, atLeast = AT_LEAST) =>
    compared(measure, 'requests/s', rate('service'), { name, figure }, { target: { atLeast } });
  context.report(
    [
      row('raw _search of the same items', rate('raw')),
      row('relay', rate('relay')),
      row('naive service', rate('naive'), 1),
    ],
    { uncached: figures },
  );
}

/** The time from publishing an event until a follower of the changes has the event's content. */
async function timeToVisible(context: BenchContext): Promise<void> {
  const { topic, settings } = await startSteadyMarket(context, `bench-${process.pid}-changes`);
  const service = await context.query(settings.INDEX_PREFIX);
  const connection = context.connect(service.port);
  let next = '/api/changes?limit=1000';
  const follow = async () => {
    const { status, body } = await connection.send(get(next));
    if (status !== 200) throw new Error(`${next}: status ${status}`);
    const page = JSON.parse(body.toString()) as {
      next: string;
      items: { id: string; data?: { title: string } }[];
    };
    const { pathname, search } = new URL(page.next);
    next = pathname + search;
    return page.items.flatMap(({ id, data }) => (data ? [{ id, title: data.title }] : []));
  };
  await context.step('the follower catches up', 60, async () => {
    for (let calm = 0; calm < 2; ) {
      const isUpToDate = (await follow()).length === 0;
      calm = isUpToDate ? calm + 1 : 0;
      if (isUpToDate) await pause(NOTICED_MS, context.signal);
    }
  });
  const times = await timeToFind(context, topic, follow);
  await service.stop();
  const { p50, p95, p99 } = percentiles(times);
  context.report(
    [
      {
        measure: `event to visible in /changes, p95, at ${EVENTS_PER_SECOND} events/s`,
        unit: 'ms',
        ours: p95,
        target: { atMost: VISIBLE_WITHIN_MS },
        note: `p50 ${p50} ms, p99 ${p99} ms`,
      },
    ],
    { visible: { p50, p95, p99, samples: times.length } },
  );
}

/**
 * All bytes from the service, including headers, for a follower on a day on which 1 % of the items change,
 * and for one cursor crawl of the agent feed.
 */
async function bytesPerDay(context: BenchContext, prefix: string): Promise<void> {
  const service = await context.query(prefix);
  const changed = Math.ceil(context.items * CHANGED_SHARE);
  const perPoll = Math.max(1, Math.ceil(changed / POLLS_PER_DAY));
  const figures = await context.step(
    'bytes of a follower and of a crawl',
    120 + context.items / 200,
    async () => {
      const reader = new CountingReader(context, service);
      let next = `/api/changes?afterChangeNumber=${changeNumber(1, context.items - 1)}&limit=${perPoll}`;
      await writeChanges(
        context,
        prefix,
        Array.from({ length: changed }, (_, number) => datasetId(number)),
      );
      await pause(NOTICED_MS, context.signal);
      let pages = 0;
      let etag: string | undefined;
      for (;;) {
        const page = await reader.read(next);
        const { items, next: url } = JSON.parse(page.body) as { items: unknown[]; next: string };
        etag = page.etag;
        if (items.length === 0) break;
        pages++;
        const { pathname, search } = new URL(url);
        next = pathname + search;
      }
      const entries = reader.bytes;
      await reader.read(next, etag);
      const follower = entries + (reader.bytes - entries) * POLLS_PER_DAY;
      const before = reader.bytes;
      for (let cursor: string | undefined = '*'; cursor; ) {
        const { body } = await reader.read(
          `/api/ai-feed?pageSize=${CRAWL_PAGE}&cursor=${encodeURIComponent(cursor)}`,
        );
        cursor = /"nextCursor":"([^"]+)"/.exec(body.slice(-2_000))?.[1];
      }
      return { follower, crawl: reader.bytes - before, pages };
    },
  );
  await service.stop();
  context.report(
    [
      compared(
        'bytes of a follower on a day with 1 % of changes',
        'bytes',
        figures.follower,
        { name: 'cursor crawl of the agent feed', figure: figures.crawl },
        {
          target: { atMost: 0.02 },
          note: `${figures.pages} pages of ${perPoll} changes, and ${POLLS_PER_DAY} polls of an unchanged page (304)`,
        },
      ),
    ],
    { bytes: figures },
  );
}

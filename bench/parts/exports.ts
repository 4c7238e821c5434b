import type { IncomingMessage } from 'node:http';
import { itemsAlias } from '@vitrine/feed-index';
import { type BenchContext, UNCACHED } from '../bench-context.ts';
import { ensureChangesIndex } from '../changes-index.ts';
import { readExport, startExport } from '../export-client.ts';
import { get, post } from '../http-connection.ts';
import { peakMegabytes } from '../process-figures.ts';
import { queryKind, targetOf } from '../query-kinds.ts';
import { compared } from '../results.ts';
import { alternate, median, rounded } from '../statistics.ts';
import { EVENTS_PER_SECOND, publishUntil, startSteadyMarket } from '../steady-events.ts';
import { pause } from '../time-limit.ts';

const AT_LEAST = 0.8;
const ROUNDS = 3;
/** Both sides read this number of items, so that a round takes only seconds. */
const MAX_ITEMS = 60_000;
/** The scan reads as many items per search as an export does. */
const SCAN_SIZE = 500;
const SLOW_CLIENTS = 2;
const SLOW_BYTES_PER_SECOND = 200_000;
const LOAD_SECONDS = 15;
const LOAD_CONNECTIONS = 4;
const P99_AT_MOST = 1.5;
const MEMORY_AT_MOST_MB = 400;

/** Measures the rate of an export, and the effect of exports to slow clients on the feed. */
export async function exports(context: BenchContext): Promise<void> {
  const prefix = await context.dataset(context.items);
  await ensureChangesIndex(context, prefix, context.items);
  await exportRate(context, prefix);
  await slowClients(context, prefix);
}

async function exportRate(context: BenchContext, prefix: string): Promise<void> {
  const service = await context.query(prefix);
  const count = Math.min(MAX_ITEMS, context.items);
  const seconds = (work: () => Promise<void>) => async () => {
    const start = performance.now();
    await work();
    return (performance.now() - start) / 1_000;
  };
  const subjects = {
    service: seconds(() => readExport(service, count)),
    raw: seconds(() => scan(context, prefix, count)),
  };
  const figures = await context.step('export and scan', 240, async () => {
    for (const warmUp of Object.values(subjects)) await warmUp();
    return alternate(ROUNDS, subjects);
  });
  await service.stop();
  const rate = (name: keyof typeof subjects) => rounded(count / median(figures[name]));
  const peer = { name: 'raw scan of the same index', figure: rate('raw') };
  context.report(
    [
      compared(`export of ${count} items`, 'listings/s', rate('service'), peer, {
        target: { atLeast: AT_LEAST },
      }),
    ],
    { count, seconds: figures },
  );
}

/** Reads this number of items from Elasticsearch, page by page in one point in time, without parsing them. */
async function scan(context: BenchContext, prefix: string, count: number): Promise<void> {
  const connection = context.connect(context.elasticsearchPort);
  const { id } = await context.elasticsearch.openPointInTime({ index: itemsAlias(prefix), keep_alive: '1m' });
  let after: string | undefined;
  for (let read = 0; read < count; read += SCAN_SIZE) {
    const { status, body } = await connection.send(
      post('/_search', {
        pit: { id },
        size: SCAN_SIZE,
        sort: [{ id: 'asc' }],
        ...(after !== undefined && { query: { range: { id: { gt: after } } } }),
        track_total_hits: false,
      }),
    );
    if (status !== 200) throw new Error(`scan: status ${status}`);
    // The sort values follow the document, so the last ones in the body belong to the last hit.
    const end = body.subarray(body.lastIndexOf('"sort":[')).toString();
    after = /"sort":\["([^"]+)"/.exec(end)?.[1];
  }
  await context.elasticsearch.closePointInTime({ id });
  connection.close();
}

/** The feed's p99 while 500 events/s arrive, without and with two exports to clients that read 200 KB/s. */
async function slowClients(context: BenchContext, prefix: string): Promise<void> {
  const { topic } = await startSteadyMarket(context, `bench-${process.pid}-exports`);
  // The service counts both exports as one client's, and one client may run half of EXPORT_CONCURRENCY.
  const service = await context.query(prefix, { ...UNCACHED, EXPORT_CONCURRENCY: String(2 * SLOW_CLIENTS) });
  const kind = queryKind('city');
  const measure = () =>
    context.load({
      port: service.port,
      request: (number) => get(targetOf(kind, number, context.items)),
      connections: LOAD_CONNECTIONS,
      seconds: LOAD_SECONDS,
    });
  let isOver = false;
  const figures = await context.step('slow exports during 500 events/s', 180, async () => {
    await measure();
    const publishing = publishUntil(topic, () => isOver, context.signal);
    publishing.catch(() => undefined);
    const before = await measure();
    const responses = await Promise.all(Array.from({ length: SLOW_CLIENTS }, () => startExport(service)));
    const reading = responses.map((response) => readSlowly(response, () => isOver, context.signal));
    const during = await measure();
    const megabytes = await peakMegabytes(service.pid);
    isOver = true;
    const bytes = await Promise.all(reading);
    await publishing;
    return { before, during, megabytes, bytes };
  });
  const { before, during, megabytes } = figures;
  context.report(
    [
      compared(
        `the feed's p99 during ${SLOW_CLIENTS} slow exports, at ${EVENTS_PER_SECOND} events/s`,
        'ms',
        rounded(during.p99),
        { name: 'without exports', figure: rounded(before.p99) },
        { target: { atMost: P99_AT_MOST } },
      ),
      {
        measure: `memory during ${SLOW_CLIENTS} slow exports`,
        unit: 'MB',
        ours: rounded(megabytes),
        target: { atMost: MEMORY_AT_MOST_MB },
      },
    ],
    { slow: figures },
  );
}

/** Reads at a fixed rate until `isOver`. @returns the bytes that were read */
async function readSlowly(
  response: IncomingMessage,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<number> {
  const start = performance.now();
  let bytes = 0;
  for (; !isOver(); await pause(50, signal)) {
    const due = ((performance.now() - start) / 1_000) * SLOW_BYTES_PER_SECOND - bytes;
    const size = Math.min(Math.floor(due), response.readableLength);
    bytes += (response.read(Math.max(1, size)) as Buffer | null)?.length ?? 0;
  }
  response.destroy();
  return bytes;
}

import { generationNames } from '@vitrine/feed-index';
import { type BenchContext, totalOf, UNCACHED } from '../bench-context.ts';
import { ensureChangesIndex } from '../changes-index.ts';
import { readExport } from '../export-client.ts';
import { get, type HttpConnection } from '../http-connection.ts';
import { type Ask, bodyOf, type Latency, measure, warmUp } from '../measure.ts';
import { peakMegabytes } from '../process-figures.ts';
import { QUERY_KINDS, targetOf } from '../query-kinds.ts';
import { compared } from '../results.ts';
import { median, rounded } from '../statistics.ts';
import type { ServiceSubject } from '../subjects.ts';
import { pause } from '../time-limit.ts';

const AT_MOST = 1.5;
const AT_MOST_IF_LINEAR = 3;
/**
 * The datasets have these shares of the items, so that each one is ten times as large as the previous one.
 */
const SHARES = [1 / 100, 1 / 10, 1];
/** Smaller datasets have no deep pages. */
const FEWEST_ITEMS = 3_000;
const KIND_LIMIT_SECONDS = 180;
/** For each size, the export reads this number of items, or all items if there are fewer. */
const EXPORTED_ITEMS = 60_000;
const EXPORT_ROUNDS = 3;
const EXPORT_AT_LEAST = 0.67;
const MEMORY_AT_MOST_MB = 400;
const RECOVERY_LIMIT_SECONDS = 600;
/** Elasticsearch updates the sizes of its files every 10 s (`index.store.stats_refresh_interval`). */
const SIZE_KNOWN_AFTER_MS = 11_000;

interface Subject {
  count: number;
  prefix: string;
  service: ServiceSubject;
  connection: HttpConnection;
  total: number;
}

/**
 * Measures what changes when the number of items grows tenfold and hundredfold: the latency of every query type,
 * the rate of an export, memory, bytes on disk, and the time until the first page after a restart of Elasticsearch.
 */
export async function growth(context: BenchContext): Promise<void> {
  const subjects: Subject[] = [];
  for (const share of SHARES) {
    const count = Math.round(context.items * share);
    if (count >= FEWEST_ITEMS) subjects.push(await openSubject(context, count));
  }
  await context.step('warm-up', 180, async () => {
    for (const { connection, count } of subjects)
      await warmUp(connection, (kind, number) => targetOf(kind, number, count));
  });
  await latencies(context, subjects);
  await exportRates(context, subjects);
  for (const { count, service } of subjects)
    context.report(
      [
        {
          measure: `memory of the query service, ${count} items`,
          unit: 'MB',
          ours: rounded(await peakMegabytes(service.pid)),
          target: { atMost: MEMORY_AT_MOST_MB },
        },
      ],
      {},
    );
  await bytesOnDisk(context, subjects);
  await recovery(context, subjects);
}

async function openSubject(context: BenchContext, count: number): Promise<Subject> {
  const prefix = await context.dataset(count);
  await ensureChangesIndex(context, prefix, count);
  const service = await context.query(prefix, UNCACHED);
  const connection = context.connect(service.port);
  return { count, prefix, service, connection, total: await totalOf(service.port) };
}

async function latencies(context: BenchContext, subjects: readonly Subject[]): Promise<void> {
  for (const kind of QUERY_KINDS) {
    const asks = subjects.map(({ connection, count, total }): [string, Ask] => [
      String(count),
      (number) => bodyOf(connection, get(targetOf(kind, number, total))),
    ]);
    const result = (await context.step(kind.name, KIND_LIMIT_SECONDS, () =>
      measure(Object.fromEntries(asks)),
    )) as Record<string, Latency>;
    context.report(
      tenfold(subjects).map(([small, large]) =>
        compared(
          `${kind.name}, ${large.count} items`,
          'ms',
          result[large.count]?.p50 ?? Number.NaN,
          { name: `${small.count} items`, figure: result[small.count]?.p50 ?? Number.NaN },
          {
            target: { atMost: kind.linear ? AT_MOST_IF_LINEAR : AT_MOST },
            ...(kind.linear && { note: `linear, because ${kind.linear}` }),
          },
        ),
      ),
      { [kind.name]: result },
    );
  }
}

/** Pairs each size with the next larger one. */
const tenfold = (subjects: readonly Subject[]): [small: Subject, large: Subject][] =>
  subjects.slice(1).map((large, index) => [subjects[index] as Subject, large]);

async function exportRates(context: BenchContext, subjects: readonly Subject[]): Promise<void> {
  const rates = new Map<Subject, number[]>(subjects.map((subject) => [subject, []]));
  await context.step('exports', 300, async () => {
    for (let round = 0; round <= EXPORT_ROUNDS; round++)
      for (const subject of subjects) {
        const items = Math.min(EXPORTED_ITEMS, subject.total);
        const start = performance.now();
        await readExport(subject.service, items);
        // The first round is the warm-up.
        if (round > 0) rates.get(subject)?.push((items * 1_000) / (performance.now() - start));
      }
  });
  const rateOf = (subject: Subject) => rounded(median(rates.get(subject) ?? []));
  context.report(
    tenfold(subjects).map(([small, large]) =>
      compared(
        `export, ${large.count} items`,
        'listings/s',
        rateOf(large),
        { name: `${small.count} items`, figure: rateOf(small) },
        { target: { atLeast: EXPORT_AT_LEAST } },
      ),
    ),
    {
      exports: Object.fromEntries(
        [...rates].map(([{ count }, each]) => [count, each.map((rate) => rounded(rate))]),
      ),
    },
  );
}

async function bytesOnDisk(context: BenchContext, subjects: readonly Subject[]): Promise<void> {
  await pause(SIZE_KNOWN_AFTER_MS, context.signal);
  for (const { count, prefix } of subjects) {
    const { items } = generationNames(prefix, 1);
    const { _all } = await context.elasticsearch.indices.stats({
      index: items,
      metric: ['store', 'segments'],
    });
    const bytes = (_all.primaries?.store?.size_in_bytes ?? Number.NaN) / count;
    context.report(
      [{ measure: `items index per item, ${count} items`, unit: 'bytes', ours: rounded(bytes) }],
      {
        [`segments, ${count} items`]: _all.primaries?.segments?.count,
      },
    );
  }
}

/** Restarts Elasticsearch, and measures for each size the seconds until the feed responds again. */
async function recovery(context: BenchContext, subjects: readonly Subject[]): Promise<void> {
  const control = context.engines.elasticsearch;
  if (control === undefined) {
    context.notRun.push('recovery after a restart: only engines that the bench has started can be restarted');
    return;
  }
  const seconds = await context.step('restart of Elasticsearch', RECOVERY_LIMIT_SECONDS, async () => {
    await control.stop();
    const start = performance.now();
    await control.start();
    return Promise.all(
      subjects.map(async ({ connection, total }) => {
        const target = targetOf(QUERY_KINDS[1] as (typeof QUERY_KINDS)[number], 0, total);
        while ((await connection.send(get(target))).status !== 200) await pause(100, context.signal);
        return rounded((performance.now() - start) / 1_000);
      }),
    );
  });
  context.report(
    subjects.map(({ count }, index) => ({
      measure: `first page after a restart of Elasticsearch, ${count} items`,
      unit: 's',
      ours: seconds[index] ?? Number.NaN,
    })),
    {},
  );
}

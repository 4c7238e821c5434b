import { type Item, itemMapping, itemsIndexBody } from '@vitrine/feed-index';
import type { BenchContext } from '../bench-context.ts';
import { datasetItems } from '../dataset.ts';
import { bulkLines, writeRaw } from '../raw-bulk.ts';
import type { Row } from '../results.ts';
import { median, rounded } from '../statistics.ts';
import { pause } from '../time-limit.ts';
import { topicRebuild } from '../topic-rebuild.ts';

/** 60,000 for the default of 300,000 items. The texts of both versions have to fit into memory. */
const WRITTEN_PER_ITEM = 1 / 5;
const ROUNDS = 5;
const VERSIONS = [1, 2] as const;
/**
 * Elasticsearch updates the sizes of its files at this interval (`index.store.stats_refresh_interval`), plus
 * a margin.
 */
const SIZE_KNOWN_AFTER_MS = 11_000;

/**
 * Compares version 2 of the items mapping with version 1: raw `_bulk` of the same items, bytes on disk, and a
 * rebuild from the topic.
 */
export async function mapping(context: BenchContext): Promise<void> {
  const count = Math.round(context.items * WRITTEN_PER_ITEM);
  const limitSeconds = 60 + count / 300;
  const prefix = `bench-${process.pid}-mapping`;
  context.ownIndices(`${prefix}-*`);
  const indexOf = (version: number) => `${prefix}-${version}`;
  const written = documentsByVersion(count);
  const rates = await inRounds(async (round, version) =>
    context.step(`round ${round}, version ${version}`, limitSeconds, async () => {
      await context.deleteIndices(indexOf(version));
      const documents = written[version] ?? [];
      return count / (await writeRaw(context, indexOf(version), itemsIndexBody(version), documents));
    }),
  );
  context.report([compared('items mapping 2, raw _bulk', rates, 1.7)], { items: count, rates });

  const bytes: Record<number, number> = {};
  for (const version of VERSIONS)
    await context.step(`bytes of version ${version}`, limitSeconds, async () => {
      bytes[version] = rounded((await mergedBytes(context, indexOf(version))) / count);
      await context.deleteIndices(indexOf(version));
    });
  const [first, second] = [bytes[1] ?? Number.NaN, bytes[2] ?? Number.NaN];
  context.report(
    [
      {
        measure: 'items mapping 2, per item on disk',
        unit: 'bytes',
        ours: second,
        peer: { name: 'version 1', figure: first },
        ratio: rounded(second / first),
        target: { atMost: 0.6 },
      },
    ],
    { bytes },
  );

  const rebuildInto = await context.step(`topic of ${count} listings`, limitSeconds, () =>
    topicRebuild(context, `${prefix}-rebuild`, count),
  );
  const rebuilds = await inRounds(async (round, version) =>
    context.step(`rebuild ${round}, version ${version}`, limitSeconds, () => rebuildInto(version)),
  );
  context.report([compared('items mapping 2, rebuild from the topic', rebuilds, 1.4)], { rebuilds });
}

/** Listings per second of both versions, by round. */
type Rates = Record<(typeof VERSIONS)[number], number[]>;

/**
 * Measures both versions in each round. Each is first in every other round, because merges disturb the next.
 */
async function inRounds(
  measure: (round: number, version: (typeof VERSIONS)[number]) => Promise<number>,
): Promise<Rates> {
  const rates: Rates = { 1: [], 2: [] };
  for (let round = 1; round <= ROUNDS; round++)
    for (const version of round % 2 === 1 ? VERSIONS : VERSIONS.toReversed())
      rates[version].push(rounded(await measure(round, version)));
  return rates;
}

/** The ratio is the median of the rounds' ratios. The note has their range. */
function compared(measure: string, rates: Rates, atLeast: number): Row {
  const ratios = rates[2].map((rate, round) => rounded(rate / (rates[1][round] ?? Number.NaN)));
  return {
    measure,
    unit: 'listings/s',
    ours: median(rates[2]),
    peer: { name: 'version 1', figure: median(rates[1]) },
    ratio: median(ratios),
    target: { atLeast },
    note: `${Math.min(...ratios)} to ${Math.max(...ratios)} in ${ROUNDS} rounds`,
  };
}

/** The lines of a bulk request with the dataset's items, by version. */
function documentsByVersion(count: number): Record<number, string[]> {
  const items = [...datasetItems(count)];
  return Object.fromEntries(VERSIONS.map((version) => [version, documentsOf(items, version)]));
}

const documentsOf = (items: readonly Item[], version: number): string[] =>
  items.map((item) => bulkLines(item.id, itemMapping(version).documentOf(item)));

/** Bytes of the index after all its segments are merged into one. */
async function mergedBytes({ elasticsearch, signal }: BenchContext, index: string): Promise<number> {
  await elasticsearch.indices.forcemerge({ index, max_num_segments: 1 });
  await elasticsearch.indices.flush({ index });
  await pause(SIZE_KNOWN_AFTER_MS, signal);
  const { _all } = await elasticsearch.indices.stats({ index, metric: 'store' });
  return _all.primaries?.store?.size_in_bytes ?? Number.NaN;
}

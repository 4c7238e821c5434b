import { type Item, itemMapping, itemsIndexBody } from '@vitrine/feed-index';
import type { BenchContext } from '../bench-context.ts';
import { datasetItems } from '../dataset.ts';
import { bulkLines, writeRaw } from '../raw-bulk.ts';
import type { Row } from '../results.ts';
import { median, rounded } from '../statistics.ts';
import { pause } from '../time-limit.ts';

/** 60,000 for the default of 300,000 items. The texts of both versions have to fit into memory. */
const WRITTEN_PER_ITEM = 1 / 5;
const ROUNDS = 5;
const VERSIONS = [1, 2] as const;
/**
 * Elasticsearch updates the sizes of its files at this interval (`index.store.stats_refresh_interval`), plus
 * a margin.
 */
const SIZE_KNOWN_AFTER_MS = 11_000;

/** Version 2 of the items mapping relative to version 1: raw `_bulk` of the same items, and bytes on disk. */
export async function mapping(context: BenchContext): Promise<void> {
  const count = Math.round(context.items * WRITTEN_PER_ITEM);
  const items = [...datasetItems(count)];
  const prefix = `bench-${process.pid}-mapping`;
  context.ownIndices(`${prefix}-*`);
  const rates: Record<number, number[]> = { 1: [], 2: [] };
  const written = Object.fromEntries(VERSIONS.map((version) => [version, documentsOf(items, version)]));
  const indexOf = (version: number) => `${prefix}-${version}`;
  const limitSeconds = 60 + count / 300;
  for (let round = 1; round <= ROUNDS; round++)
    // Each version is first in every other round, because merges of one index disturb the next one.
    for (const version of round % 2 === 1 ? VERSIONS : VERSIONS.toReversed())
      await context.step(`round ${round}, version ${version}`, limitSeconds, async () => {
        await context.deleteIndices(indexOf(version));
        const documents = written[version] ?? [];
        const seconds = await writeRaw(context, indexOf(version), itemsIndexBody(version), documents);
        rates[version]?.push(rounded(count / seconds));
      });
  const medians = { 1: median(rates[1] ?? []), 2: median(rates[2] ?? []) };
  const speed = compared('items mapping 2, raw _bulk', 'listings/s', medians, { atLeast: 1.7 });
  context.report([speed], { items: count, rates });

  const bytes: Record<number, number> = {};
  for (const version of VERSIONS)
    await context.step(`bytes of version ${version}`, limitSeconds, async () => {
      bytes[version] = rounded((await mergedBytes(context, indexOf(version))) / count);
    });
  context.report([compared('items mapping 2, per item on disk', 'bytes', bytes, { atMost: 0.6 })], { bytes });
}

const compared = (
  measure: string,
  unit: Row['unit'],
  figures: Readonly<Record<number, number>>,
  target: NonNullable<Row['target']>,
): Row => {
  const [first, second] = [figures[1] ?? Number.NaN, figures[2] ?? Number.NaN];
  const peer = { name: 'version 1', figure: first };
  return { measure, unit, ours: second, peer, ratio: rounded(second / first), target };
};

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

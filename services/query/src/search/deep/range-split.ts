import type { estypes } from '@elastic/elasticsearch';
import { BEYOND_EARTH, type IdStretch, nextAbove, type Stretch, type TimeStretch } from '../order/key-range.ts';
import { type Matching, totalOf } from '../order/matching.ts';
import {
  bucketsOf,
  type Counted,
  countRequest,
  distanceExtremes,
  histogramRequest,
  keyOfFirst,
  MAX_PARTS,
  publishedExtremes,
  readExtremes,
  readHistogram,
  readRings,
  ringsRequest,
  sampleRequest,
} from './range-searches.ts';

/** Runs one search. All searches of one directory must use the same point in time. */
export type Look = (request: estypes.SearchRequest) => Promise<Counted>;

/** Counts all matching items by stretches, in order. Each item is in exactly one stretch. */
export async function wholeOrder(matching: Matching, look: Look): Promise<{ total: number; stretches: Stretch[] }> {
  return matching.order === 'newest' ? wholeByTime(matching, look) : wholeByDistance(matching, look);
}

/**
 * Splits a stretch into smaller parts, in order.
 * @param goal approximate number of items per part
 */
export async function splitStretch(stretch: Stretch, matching: Matching, goal: number, look: Look): Promise<Stretch[]> {
  switch (stretch.by) {
    case 'published_at': {
      const { least, most } = readExtremes(await look(publishedExtremes(matching, stretch)));
      return least === most
        ? splitByIds({ by: 'id', among: stretch, count: stretch.count }, matching, goal, look)
        : splitByTime(least, most, matching, look);
    }
    case 'distance': {
      const [least, most] = await Promise.all(distanceExtremes(matching, stretch).map(async (request) => keyOfFirst(await look(request))));
      if (least === undefined || most === undefined) throw new Error('a ring with items has no nearest item');
      if (least === most) return splitByIds({ by: 'id', among: stretch, count: stretch.count }, matching, goal, look);
      return readRings(await look(ringsRequest(matching, stretch, least, nextAbove(most))));
    }
    case 'no distance':
      return splitByIds({ by: 'id', among: stretch, count: stretch.count }, matching, goal, look);
    case 'id':
      return splitByIds(stretch, matching, goal, look);
    default:
      return stretch satisfies never;
  }
}

async function wholeByTime(matching: Matching, look: Look): Promise<{ total: number; stretches: Stretch[] }> {
  const counted = await look(publishedExtremes(matching));
  const total = totalOf(counted);
  const { least, most } = readExtremes(counted);
  return { total, stretches: total === 0 ? [] : await splitByTime(least, most, matching, look) };
}

async function wholeByDistance(matching: Matching, look: Look): Promise<{ total: number; stretches: Stretch[] }> {
  const counted = await look(ringsRequest(matching, undefined, 0, BEYOND_EARTH));
  const total = totalOf(counted);
  const rings = readRings(counted);
  const elsewhere = rings.reduce((rest, { count }) => rest - count, total);
  return { total, stretches: elsewhere > 0 ? [...rings, { by: 'no distance', count: elsewhere }] : rings };
}

async function splitByTime(least: number, most: number, matching: Matching, look: Look): Promise<TimeStretch[]> {
  const interval = Math.max(Math.ceil((most - least + 1) / MAX_PARTS), 1);
  const stretches = readHistogram(await look(histogramRequest(matching, least, most, interval)), interval);
  // The intervals extend beyond the oldest and the newest item. Estimates within a stretch would include the
  // empty ends.
  return stretches.map((stretch) => ({ ...stretch, oldest: Math.max(stretch.oldest, least), newest: Math.min(stretch.newest, most) }));
}

/**
 * Splits at a random sample of the ids, so the parts have about the same size for any distribution of ids.
 */
async function splitByIds(stretch: IdStretch, matching: Matching, goal: number, look: Look): Promise<IdStretch[]> {
  const size = Math.min(Math.max(Math.ceil((4 * stretch.count) / goal), 2), MAX_PARTS);
  const sampled = await look(sampleRequest(matching, stretch, size));
  // Ids are ASCII, so JavaScript and the index sort them in the same order.
  const ids = sampled.hits.hits.flatMap(({ fields }) => fields?.['id'] as string[]).sort();
  const parts = partsBetween(stretch, ids);
  const counted = await look(countRequest(matching, stretch, parts));
  const buckets = bucketsOf(counted);
  return parts.map((part, i) => ({ ...part, count: buckets[i]?.doc_count ?? 0 })).filter(({ count }) => count > 0);
}

/** The parts of `stretch`, split before each of `ids`. Their `count` is not set. */
export function partsBetween(stretch: IdStretch, ids: string[]): IdStretch[] {
  const bounds = [stretch.from, ...ids.filter((id) => id !== stretch.from), stretch.before];
  return bounds.slice(1).map((before, i) => {
    const from = bounds[i];
    return { by: 'id', among: stretch.among, ...(from !== undefined && { from }), ...(before !== undefined && { before }), count: 0 };
  });
}

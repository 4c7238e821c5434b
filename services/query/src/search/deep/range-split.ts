import type { estypes } from '@elastic/elasticsearch';
import {
  ABOVE_ANY_DISTANCE,
  type IdRange,
  nextAbove,
  type OrderRange,
  type TimeRange,
} from '../order/key-range.ts';
import { type Matching, totalOf } from '../order/matching.ts';
import {
  bucketsOf,
  type CountResponse,
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

/** Runs one search. Every search of a rank index must use the same point in time. */
export type CountSearch = (request: estypes.SearchRequest) => Promise<CountResponse>;

/**
 * Divides the whole order into ranges, and counts the matching items of each range. Each item is in exactly
 * one range.
 */
export async function countOrder(
  matching: Matching,
  search: CountSearch,
): Promise<{ total: number; ranges: OrderRange[] }> {
  return matching.order === 'newest' ? countByTime(matching, search) : countByDistance(matching, search);
}

/**
 * Splits a range into smaller parts, in order.
 * @param partSize approximate number of items per part
 */
export async function splitRange(
  range: OrderRange,
  matching: Matching,
  partSize: number,
  search: CountSearch,
): Promise<OrderRange[]> {
  switch (range.by) {
    case 'published_at': {
      const { least, most } = readExtremes(await search(publishedExtremes(matching, range)));
      return least === most
        ? splitByIds({ by: 'id', keyRange: range, count: range.count }, matching, partSize, search)
        : splitByTime(least, most, matching, search);
    }
    case 'distance': {
      const [least, most] = await Promise.all(
        distanceExtremes(matching, range).map(async (request) => keyOfFirst(await search(request))),
      );
      if (least === undefined || most === undefined)
        throw new Error('could not find an item in a ring that contains items');
      if (least === most)
        return splitByIds({ by: 'id', keyRange: range, count: range.count }, matching, partSize, search);
      return readRings(await search(ringsRequest(matching, range, least, nextAbove(most))));
    }
    case 'no distance':
      return splitByIds({ by: 'id', keyRange: range, count: range.count }, matching, partSize, search);
    case 'id':
      return splitByIds(range, matching, partSize, search);
    default:
      return range satisfies never;
  }
}

async function countByTime(
  matching: Matching,
  search: CountSearch,
): Promise<{ total: number; ranges: OrderRange[] }> {
  const counted = await search(publishedExtremes(matching));
  const total = totalOf(counted);
  const { least, most } = readExtremes(counted);
  return { total, ranges: total === 0 ? [] : await splitByTime(least, most, matching, search) };
}

async function countByDistance(
  matching: Matching,
  search: CountSearch,
): Promise<{ total: number; ranges: OrderRange[] }> {
  const counted = await search(ringsRequest(matching, undefined, 0, ABOVE_ANY_DISTANCE));
  const total = totalOf(counted);
  const rings = readRings(counted);
  const withoutCoordinates = rings.reduce((rest, { count }) => rest - count, total);
  return {
    total,
    ranges: withoutCoordinates > 0 ? [...rings, { by: 'no distance', count: withoutCoordinates }] : rings,
  };
}

async function splitByTime(
  least: number,
  most: number,
  matching: Matching,
  search: CountSearch,
): Promise<TimeRange[]> {
  const interval = Math.max(Math.ceil((most - least + 1) / MAX_PARTS), 1);
  const ranges = readHistogram(await search(histogramRequest(matching, least, most, interval)), interval);
  // The first and the last interval extend beyond the oldest and the newest item. Without a correction,
  // estimates within these intervals would include the empty parts.
  return ranges.map((range) => ({
    ...range,
    oldest: Math.max(range.oldest, least),
    newest: Math.min(range.newest, most),
  }));
}

/**
 * Splits a range at a random sample of its ids, so that all parts have about the same size for any
 * distribution of ids.
 */
async function splitByIds(
  range: IdRange,
  matching: Matching,
  partSize: number,
  search: CountSearch,
): Promise<IdRange[]> {
  const size = Math.min(Math.max(Math.ceil((4 * range.count) / partSize), 2), MAX_PARTS);
  const sampled = await search(sampleRequest(matching, range, size));
  // All ids are ASCII, so JavaScript and the index sort them in the same order.
  const ids = sampled.hits.hits.flatMap(({ fields }) => fields?.['id'] as string[]).sort();
  const parts = partsBetween(range, ids);
  const counted = await search(countRequest(matching, range, parts));
  const buckets = bucketsOf(counted);
  return parts
    .map((part, i) => ({ ...part, count: buckets[i]?.doc_count ?? 0 }))
    .filter(({ count }) => count > 0);
}

/** Splits `range` before each of `ids`. Does not set the `count` of the parts. */
export function partsBetween(range: IdRange, ids: string[]): IdRange[] {
  const bounds = [range.from, ...ids.filter((id) => id !== range.from), range.before];
  return bounds.slice(1).map((before, i) => {
    const from = bounds[i];
    return {
      by: 'id',
      keyRange: range.keyRange,
      ...(from !== undefined && { from }),
      ...(before !== undefined && { before }),
      count: 0,
    };
  });
}

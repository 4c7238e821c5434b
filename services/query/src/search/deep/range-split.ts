import type { estypes } from '@elastic/elasticsearch';
import { nextAbove } from '../order/doubles.ts';
import { valueOrderOf } from '../order/feed-order.ts';
import { ABOVE_ANY_DISTANCE, type IdRange, type KeyRange, type OrderRange } from '../order/key-range.ts';
import { type Matching, totalOf } from '../order/matching.ts';
import type { ValueOrder } from '../order/value-order.ts';
import {
  bucketsOf,
  type CountResponse,
  countRequest,
  distanceExtremes,
  extremesRequest,
  keyOfFirst,
  MAX_PARTS,
  readExtremes,
  readRings,
  readValues,
  ringsRequest,
  sampleRequest,
  valuesRequest,
} from './range-searches.ts';

/** Runs one search. Every search of a rank index must use the same point in time. */
export type CountSearch = (request: estypes.SearchRequest) => Promise<CountResponse>;

/** The number of matching items, and their ranges in order. Each item is in exactly one range. */
export interface CountedOrder {
  total: number;
  ranges: OrderRange[];
}

/** Divides the whole order into ranges, and counts the matching items in each range. */
export function countOrder(matching: Matching, search: CountSearch): Promise<CountedOrder> {
  const order = valueOrderOf(matching.order);
  return order ? countByValue(matching, order, search) : countByDistance(matching, search);
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
    case 'value': {
      const order = valueOrderOf(matching.order);
      if (!order) throw new Error('an order by distance has no range of values');
      const found = readExtremes(await search(extremesRequest(matching, order, range)));
      if (found === undefined) throw new Error('could not find an item in a range that contains items');
      return found.least === found.most
        ? splitByIds({ by: 'id', keyRange: range, count: range.count }, matching, partSize, search)
        : readValues(await search(valuesRequest(matching, order, range, found)), order);
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
    case 'no key':
      return splitByIds({ by: 'id', keyRange: range, count: range.count }, matching, partSize, search);
    case 'id':
      return splitByIds(range, matching, partSize, search);
    default:
      return range satisfies never;
  }
}

async function countByValue(
  matching: Matching,
  order: ValueOrder,
  search: CountSearch,
): Promise<CountedOrder> {
  const counted = await search(extremesRequest(matching, order));
  const found = readExtremes(counted);
  return withTheRest(
    totalOf(counted),
    found === undefined
      ? []
      : readValues(await search(valuesRequest(matching, order, undefined, found)), order),
  );
}

async function countByDistance(matching: Matching, search: CountSearch): Promise<CountedOrder> {
  const counted = await search(ringsRequest(matching, undefined, 0, ABOVE_ANY_DISTANCE));
  return withTheRest(totalOf(counted), readRings(counted));
}

/** Adds the items that have no sort key. */
function withTheRest(total: number, ranges: KeyRange[]): CountedOrder {
  const withoutKey = ranges.reduce((rest, { count }) => rest - count, total);
  return { total, ranges: withoutKey > 0 ? [...ranges, { by: 'no key', count: withoutKey }] : ranges };
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
  const parts = partsBetween(range, await sampleIds(matching, search, range, size));
  const counted = await search(countRequest(matching, range, parts));
  const buckets = bucketsOf(counted);
  return parts
    .map((part, i) => ({ ...part, count: buckets[i]?.doc_count ?? 0 }))
    .filter(({ count }) => count > 0);
}

/**
 * Returns a random sample of the matching ids, ascending. All ids are ASCII, so JavaScript and the index sort
 * them in the same order.
 */
export async function sampleIds(
  matching: Matching,
  search: CountSearch,
  range?: IdRange,
  size = MAX_PARTS,
): Promise<string[]> {
  const sampled = await search(sampleRequest(matching, range, size));
  return sampled.hits.hits.flatMap(({ fields }) => fields?.['id'] as string[]).sort();
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

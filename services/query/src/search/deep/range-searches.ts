import type { estypes } from '@elastic/elasticsearch';
import { boundsBetween } from '../order/doubles.ts';
import { allOf, field, searchAfterDistance, sortPositionOf } from '../order/feed-order.ts';
import {
  type IdRange,
  type KeyRange,
  type OrderRange,
  rangeClauses,
  rangeStart,
  type ValueRange,
} from '../order/key-range.ts';
import { type Matching, matchingIn } from '../order/matching.ts';
import type { ValueOrder } from '../order/value-order.ts';

/**
 * Maximum number of parts in a split. This number limits the size of an Elasticsearch response and of an
 * entry in the rank index.
 */
export const MAX_PARTS = 1_000;

/** The aggregation results of the searches in this file. */
interface Counts {
  ring?: { buckets: Pick<Counts, 'parts'>[] };
  parts?: { buckets: { from?: number; to?: number; doc_count: number }[] };
  least?: { value: number | null };
  most?: { value: number | null };
}
export type CountResponse = estypes.SearchResponse<unknown, Counts>;

/** Counts the matching items, and finds their lowest and highest value. */
export const extremesRequest = (
  matching: Matching,
  { name }: ValueOrder,
  range?: OrderRange,
): estypes.SearchRequest => ({
  size: 0,
  track_total_hits: true,
  query: matchingIn(matching, range),
  aggs: { least: { min: { field: name } }, most: { max: { field: name } } },
});

/** Counts the matching items in ranges between two values. */
export const valuesRequest = (
  matching: Matching,
  { name }: ValueOrder,
  range: OrderRange | undefined,
  { least, most }: Extremes,
): estypes.SearchRequest => {
  const bounds = boundsBetween(least, most, MAX_PARTS);
  const ranges = bounds.slice(1).map((to, i) => ({ from: bounds[i] ?? least, to }));
  return {
    size: 0,
    track_total_hits: false,
    query: matchingIn(matching, range),
    aggs: { parts: { range: { field: name, ranges } } },
  };
};

/** Creates two searches: one for the nearest item and one for the farthest. */
export const distanceExtremes = (
  matching: Matching,
  range: KeyRange & { by: 'distance' },
): estypes.SearchRequest[] => {
  const edge = { asc: rangeStart(range), desc: range.below };
  return (['asc', 'desc'] as const).map((order) => ({
    size: 1,
    track_total_hits: false,
    _source: false,
    query: matchingIn(matching, range),
    sort: [
      { _geo_distance: { [field('point')]: matching.order, order, unit: 'm' } } as estypes.SortCombinations,
      { [field('id')]: 'asc' },
    ],
    ...(edge[order] !== undefined && { search_after: searchAfterDistance(edge[order]) }),
  }));
};

/**
 * Counts the items in rings around a point. Rings near the point are thinner, because most requests are for
 * nearby items.
 */
export function ringsRequest(
  matching: Matching,
  range: OrderRange | undefined,
  from: number,
  below: number,
): estypes.SearchRequest {
  const radii = Array.from({ length: MAX_PARTS + 1 }, (_, i) =>
    i === MAX_PARTS ? below : from + (below - from) * (i / MAX_PARTS) ** 3,
  );
  // Doubles have limited precision, so rounding can make some radii equal.
  const bounds = [...new Set(radii)];
  const ranges = bounds.slice(1).map((to, i) => ({ from: bounds[i] ?? 0, to }));
  return {
    size: 0,
    track_total_hits: range === undefined,
    query: matchingIn(matching, range),
    aggs: { parts: rings(matching, ranges) },
  };
}

export const sampleRequest = (
  matching: Matching,
  range: IdRange | undefined,
  size: number,
): estypes.SearchRequest => ({
  size,
  track_total_hits: false,
  _source: false,
  docvalue_fields: [field('id')],
  query: {
    function_score: {
      query: matchingIn(matching, range),
      functions: [{ random_score: { seed: 1, field: '_seq_no' } }],
      boost_mode: 'replace',
    },
  },
});

export function countRequest(matching: Matching, range: IdRange, parts: IdRange[]): estypes.SearchRequest {
  const { keyRange } = range;
  // The query already contains the clauses that all parts share.
  const ids = {
    parts: { filters: { filters: parts.map((part) => allOf(rangeClauses(part, matching.order).slice(-1))) } },
  };
  return {
    size: 0,
    track_total_hits: false,
    query: matchingIn(matching, range),
    aggs:
      keyRange.by === 'distance'
        ? { ring: { ...rings(matching, [{ from: keyRange.from, to: keyRange.below }]), aggs: ids } }
        : ids,
  };
}

const rings = ({ order }: Matching, ranges: { from: number; to: number }[]) => ({
  geo_distance: { field: field('point'), origin: order as estypes.GeoLocation, unit: 'm' as const, ranges },
});

export const bucketsOf = ({ aggregations }: CountResponse) =>
  (aggregations?.ring?.buckets[0] ?? aggregations)?.parts?.buckets ?? [];

/** The lowest and the highest value of some items. */
export interface Extremes {
  least: number;
  most: number;
}

/** Reads the result of `extremesRequest`. Returns undefined if no item has a value. */
export function readExtremes({ aggregations }: CountResponse): Extremes | undefined {
  const [least, most] = [aggregations?.least?.value, aggregations?.most?.value];
  return typeof least === 'number' && typeof most === 'number' ? { least, most } : undefined;
}

export const keyOfFirst = ({ hits }: CountResponse): number | undefined =>
  sortPositionOf(hits.hits[0]?.sort).key ?? undefined;

/** Reads the result of `valuesRequest`, in order. */
export function readValues(counted: CountResponse, { direction }: ValueOrder): ValueRange[] {
  const ranges = readRanges(counted).map((range) => ({ by: 'value' as const, ...range }));
  return direction === 'asc' ? ranges : ranges.reverse();
}

export const readRings = (counted: CountResponse): KeyRange[] =>
  readRanges(counted).map((range) => ({ by: 'distance', ...range }));

/** A part without an upper bound ends after the largest double. */
const readRanges = (counted: CountResponse) =>
  bucketsOf(counted)
    .filter(({ doc_count }) => doc_count > 0)
    .map(({ from = 0, to = Number.POSITIVE_INFINITY, doc_count }) => ({ from, below: to, count: doc_count }));

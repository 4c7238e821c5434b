import type { estypes } from '@elastic/elasticsearch';
import { allOf, field, searchAfterKey, sortPositionOf } from '../order/feed-order.ts';
import {
  type IdRange,
  type KeyRange,
  type OrderRange,
  rangeClauses,
  rangeStart,
  type TimeRange,
} from '../order/key-range.ts';
import { type Matching, matchingIn } from '../order/matching.ts';

/**
 * Maximum number of parts of a split, which limits the size of an Elasticsearch response and of an entry in
 * the rank index.
 */
export const MAX_PARTS = 1_000;

/** The aggregation results of the searches in this file. */
interface Counts {
  ring?: { buckets: Pick<Counts, 'parts'>[] };
  parts?: { buckets: { key: number; from?: number; to?: number; doc_count: number }[] };
  least?: { value: number | null };
  most?: { value: number | null };
}
export type CountResponse = estypes.SearchResponse<unknown, Counts>;

/** Counts the matching items, and finds the publication times of the oldest and the newest item. */
export const publishedExtremes = (matching: Matching, range?: OrderRange): estypes.SearchRequest => ({
  size: 0,
  track_total_hits: true,
  query: matchingIn(matching, range),
  aggs: { least: { min: { field: field('published_at') } }, most: { max: { field: field('published_at') } } },
});

export const histogramRequest = (
  matching: Matching,
  oldest: number,
  newest: number,
  interval: number,
): estypes.SearchRequest => ({
  size: 0,
  track_total_hits: false,
  query: matchingIn(matching, { by: 'published_at', oldest, newest, count: 0 }),
  aggs: {
    parts: {
      histogram: { field: field('published_at'), interval, min_doc_count: 1, order: { _key: 'desc' } },
    },
  },
});

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
    ...(edge[order] !== undefined && { search_after: searchAfterKey(edge[order]) }),
  }));
};

/**
 * Counts the items in rings around a point. Rings near the point are thinner, because most requests are for
 * near items.
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

export const sampleRequest = (matching: Matching, range: IdRange, size: number): estypes.SearchRequest => ({
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

export const readExtremes = ({ aggregations }: CountResponse): { least: number; most: number } => ({
  least: aggregations?.least?.value ?? 0,
  most: aggregations?.most?.value ?? 0,
});

export const keyOfFirst = ({ hits }: CountResponse): number | undefined =>
  sortPositionOf(hits.hits[0]?.sort).key ?? undefined;

export const readHistogram = (counted: CountResponse, interval: number): TimeRange[] =>
  bucketsOf(counted).map(({ key, doc_count }) => ({
    by: 'published_at',
    oldest: key,
    newest: key + interval - 1,
    count: doc_count,
  }));

export const readRings = (counted: CountResponse): KeyRange[] =>
  bucketsOf(counted)
    .filter(({ doc_count }) => doc_count > 0)
    .map(({ from = 0, to = 0, doc_count }) => ({ by: 'distance', from, below: to, count: doc_count }));

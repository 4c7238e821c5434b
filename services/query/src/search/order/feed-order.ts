import type { estypes } from '@elastic/elasticsearch';
import type { ItemDocument } from '@vitrine/feed-index';
import type { Point, SortPosition } from '../../request/sort-position.ts';

/** Newest first, or nearest to a point first. */
export type FeedOrder = 'newest' | Point;

export type Clause = NonNullable<estypes.QueryDslQueryContainer>;

/** The name of a field in the index. */
export const field = <Name extends keyof ItemDocument>(name: Name): Name => name;

/** The distance that Elasticsearch reports for an item without coordinates. It sorts such items last. */
const NO_DISTANCE = 'Infinity';

/**
 * The sort of an order: newest first, which is also the sort of the index, or nearest first. Ties are broken
 * by id.
 */
export function sortOf(order: FeedOrder): estypes.SortCombinations[] {
  const first =
    order === 'newest'
      ? { [field('published_at')]: 'desc' as const }
      : { _geo_distance: { [field('point')]: order, order: 'asc', unit: 'm' } };
  return [first as estypes.SortCombinations, { [field('id')]: 'asc' }];
}

/** Reads the position of a hit from its sort values. */
export function sortPositionOf(sort: estypes.SortResults = []): SortPosition {
  const [key, id] = sort;
  return { key: key === NO_DISTANCE ? null : Number(key), id: String(id) };
}

/** The `search_after` that continues after `position`. */
export const searchAfter = ({ key, id }: SortPosition): estypes.SortResults => [key ?? NO_DISTANCE, id];

/** Greater than every id. */
const LAST_ID = '\u{10ffff}';

/** The `search_after` that continues after all items with one sort key. */
export const searchAfterKey = (key: number): estypes.SortResults => searchAfter({ key, id: LAST_ID });

/** Items at most `metres` from a point. */
export const within = (metres: number, point: Point): Clause => ({
  geo_distance: {
    [field('point')]: point,
    distance: metres,
    unit: 'm',
  } as unknown as estypes.QueryDslGeoDistanceQuery,
});

/**
 * Matches every item but no nested document. Without a clause that only items match, Elasticsearch visits
 * every nested document too.
 */
export const ANY_ITEM: Clause = { exists: { field: field('published_at') } };

/** Matches the items that satisfy every clause. */
export const allOf = (clauses: Clause[]): Clause => ({ bool: { filter: clauses } });

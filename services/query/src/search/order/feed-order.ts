import type { estypes } from '@elastic/elasticsearch';
import type { IndexedField } from '@vitrine/feed-index';
import type { Point, SortPosition } from '../../request/sort-position.ts';

/** The order of a feed: `newest` first, or nearest to a point first. */
export type FeedOrder = 'newest' | Point;

export type Clause = NonNullable<estypes.QueryDslQueryContainer>;

/** Returns the name of a field, and makes the compiler check that the index has this field. */
export const field = <Name extends IndexedField | 'state' | 'rating'>(name: Name): Name => name;

/**
 * The distance that Elasticsearch reports for an item without coordinates. Elasticsearch sorts such items
 * last.
 */
const NO_DISTANCE = 'Infinity';

/**
 * Returns the sort clauses of an order: newest first, which is also the sort order of the index, or nearest
 * first. The id breaks ties.
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

/** Returns the `search_after` value that continues after `position`. */
export const searchAfter = ({ key, id }: SortPosition): estypes.SortResults => [key ?? NO_DISTANCE, id];

/** Greater than every id. */
const LAST_ID = '\u{10ffff}';

/** Returns the `search_after` value that continues after all items with this sort key. */
export const searchAfterKey = (key: number): estypes.SortResults => searchAfter({ key, id: LAST_ID });

/** Matches items within `meters` of a point. */
export const within = (meters: number, point: Point): Clause => ({
  geo_distance: {
    [field('point')]: point,
    distance: meters,
    unit: 'm',
  } as unknown as estypes.QueryDslGeoDistanceQuery,
});

/**
 * Matches every item but no nested document. In a query without such a clause, Elasticsearch visits every
 * nested document too.
 */
export const ANY_ITEM: Clause = { exists: { field: field('published_at') } };

/** Matches the items that satisfy every clause. */
export const allOf = (clauses: Clause[]): Clause => ({ bool: { filter: clauses } });

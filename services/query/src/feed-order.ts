import type { estypes } from '@elastic/elasticsearch';
import type { ItemDocument } from '@vitrine/feed-index';

/** Degrees, named as Elasticsearch names them. */
export interface Point {
  lat: number;
  lon: number;
}

/** Newest first, or nearest to a point first. */
export type FeedOrder = 'newest' | Point;

/** Where an item stands in an order: its sort key (milliseconds or metres; null = it has no coordinates), then its id. */
export interface Place {
  key: number | null;
  id: string;
}

export type Clause = NonNullable<estypes.QueryDslQueryContainer>;

/** A member of the item document, by its name in the index. */
export const field = <Name extends keyof ItemDocument>(name: Name): Name => name;

/** How Elasticsearch writes the distance of an item without coordinates, which is what sorts it last. */
const NO_DISTANCE = 'Infinity';

/** Newest first as the index is sorted (decisions §2, "Order"), or nearest first; ties by id. */
export function sortOf(order: FeedOrder): estypes.SortCombinations[] {
  const first =
    order === 'newest' ? { [field('published_at')]: 'desc' as const } : { _geo_distance: { [field('point')]: order, order: 'asc', unit: 'm' } };
  return [first as estypes.SortCombinations, { [field('id')]: 'asc' }];
}

/** The place of a hit, out of its sort values. */
export function placeOf(sort: estypes.SortResults = []): Place {
  const [key, id] = sort;
  return { key: key === NO_DISTANCE ? null : Number(key), id: String(id) };
}

/** The `search_after` that goes on behind `place`. */
export const searchAfter = ({ key, id }: Place): estypes.SortResults => [key ?? NO_DISTANCE, id];

/** Greater than every id. */
const LAST_ID = '\u{10ffff}';

/** The `search_after` that goes on behind all items of one sort key. */
export const searchBehind = (key: number): estypes.SortResults => searchAfter({ key, id: LAST_ID });

/** Items at most `metres` from a point. */
export const within = (metres: number, point: Point): Clause => ({
  geo_distance: { [field('point')]: point, distance: metres, unit: 'm' } as unknown as estypes.QueryDslGeoDistanceQuery,
});

/**
 * Every item, but not the nested documents beside them: without a clause that only items match,
 * Elasticsearch looks at each nested document too.
 */
export const ANY_ITEM: Clause = { exists: { field: field('published_at') } };

/** Items that every clause matches. */
export const allOf = (clauses: Clause[]): Clause => ({ bool: { filter: clauses } });

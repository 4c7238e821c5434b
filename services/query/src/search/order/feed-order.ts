import type { estypes } from '@elastic/elasticsearch';
import type { Sort } from '@vitrine/feed-index/filters';
import type { Point, SortPosition } from '../../request/sort-position.ts';
import { type StayWindow, stayWindow } from '../../request/stay-window.ts';
import { type Clause, field, VALUE_ORDERS, type ValueOrder } from './value-order.ts';

export { type Clause, field } from './value-order.ts';

/** The order of a feed. Items with the same sort key are ordered by id. */
export type FeedOrder = SearchOrder | TotalPriceOrder;

/**
 * An order in which Elasticsearch can sort: by a value, for example `newest` first, or nearest to a point
 * first.
 */
export type SearchOrder = keyof typeof VALUE_ORDERS | Point;

/**
 * The order by the total of the cheapest stay in a window, lowest first. Elasticsearch cannot compute this
 * total.
 */
export interface TotalPriceOrder {
  by: 'total_price';
  stay: StayWindow;
}

/**
 * The criteria that determine an order. They do not come from `request/criteria.ts`, because filters import
 * this file.
 */
type OrderCriteria = Parameters<typeof stayWindow>[0] & { sort?: Sort; point?: Point };

/**
 * Returns the order of a request. Rule: docs/reference/rules.md#item-order
 * @param today YYYY-MM-DD
 */
export function orderOf(criteria: OrderCriteria, today: string): FeedOrder {
  const { sort, point } = criteria;
  switch (sort) {
    case undefined:
    case 'distance':
      return point ?? 'newest';
    case 'total_price': {
      const stay = stayWindow(criteria, today);
      if (!stay) throw new Error('an order by total price requires a date');
      return { by: 'total_price', stay };
    }
    default:
      return sort;
  }
}

export const isByTotal = (order: FeedOrder): order is TotalPriceOrder =>
  typeof order === 'object' && 'by' in order;

/** Returns the value that Elasticsearch sorts by, or undefined if the order is by distance. */
export const valueOrderOf = (order: SearchOrder): ValueOrder | undefined =>
  typeof order === 'object' ? undefined : VALUE_ORDERS[order];

/** The sort key that Elasticsearch reports for an item without a key. It sorts such items last. */
const NO_KEY = { asc: 'Infinity', desc: '-Infinity' } as const;

/** Returns the sort clauses of an order. The id breaks ties. */
export function sortOf(order: SearchOrder): estypes.SortCombinations[] {
  const first =
    typeof order === 'object'
      ? { _geo_distance: { [field('point')]: order, order: 'asc', unit: 'm' } }
      : { [VALUE_ORDERS[order].name]: VALUE_ORDERS[order].direction };
  return [first as estypes.SortCombinations, { [field('id')]: 'asc' }];
}

/** Reads the position of a hit from its sort values. */
export function sortPositionOf(sort: estypes.SortResults = []): SortPosition {
  const [key, id] = sort;
  const value = Number(key);
  return { key: Number.isFinite(value) ? value : null, id: String(id) };
}

/** Returns the `search_after` value that continues after `position`. */
export const searchAfter = ({ key, id }: SortPosition, order: FeedOrder): estypes.SortResults => [
  key ?? NO_KEY[typeof order === 'object' ? 'asc' : VALUE_ORDERS[order].direction],
  id,
];

/** A string that is greater than every id. */
const LAST_ID = '\u{10ffff}';

/** Returns the `search_after` value that continues after all items at this distance. */
export const searchAfterDistance = (meters: number): estypes.SortResults => [meters, LAST_ID];

/** Matches items within `meters` of a point. */
export const within = (meters: number, point: Point): Clause => ({
  geo_distance: {
    [field('point')]: point,
    distance: meters,
    unit: 'm',
  } as unknown as estypes.QueryDslGeoDistanceQuery,
});

/** Matches the items without a sort key. */
export const withoutKey = (order: SearchOrder): Clause => ({
  bool: { must_not: [{ exists: { field: valueOrderOf(order)?.name ?? field('point') } }] },
});

/**
 * Matches every item but no nested document. In a query without such a clause, Elasticsearch visits every
 * nested document too.
 */
export const ANY_ITEM: Clause = { exists: { field: field('published_at') } };

/** Matches the items that satisfy every clause. */
export const allOf = (clauses: Clause[]): Clause => ({ bool: { filter: clauses } });

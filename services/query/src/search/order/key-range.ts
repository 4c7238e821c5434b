import type { Point } from '../../request/sort-position.ts';
import { nextBelow } from './doubles.ts';
import { type Clause, field, type SearchOrder, valueOrderOf, within, withoutKey } from './feed-order.ts';
import { type Values, valuesWithin } from './value-order.ts';

/** A contiguous part of an order that a filter can select, with its number of matching items. */
export type OrderRange = KeyRange | IdRange;

/** A range by the first sort key. */
export type KeyRange =
  | ValueRange
  /** A range of distances in meters. `below` is exclusive. */
  | { by: 'distance'; from: number; below: number; count: number }
  /** The items without a sort key, which come last. */
  | { by: 'no key'; count: number };

/** A range in a value order, for example a range of prices. */
export interface ValueRange extends Values {
  by: 'value';
  count: number;
}

/**
 * A range of ids, from `from` inclusive to `before` exclusive, among items with the same first sort key.
 */
export interface IdRange {
  by: 'id';
  keyRange: KeyRange;
  from?: string;
  before?: string;
  count: number;
}

/**
 * A margin in meters around the filter of a ring. Elasticsearch's distance filter and distance sort differ by
 * a few millimeters, because they use different encodings of the coordinates. The distance aggregation and
 * the distance sort agree. Therefore an aggregation counts the items of a ring, the sort key defines where
 * the ring begins (`rangeStart`), and the filter has this margin.
 */
const RING_MARGIN = 1;

/** A distance in meters that is longer than the distance between any two points on Earth. */
export const ABOVE_ANY_DISTANCE = 20_020_000;

/**
 * Returns the clauses that all items in `range` match. For a range of distances, some items just outside the
 * range may match too.
 */
export function rangeClauses(range: OrderRange, order: SearchOrder): Clause[] {
  switch (range.by) {
    case 'value': {
      const value = valueOrderOf(order);
      return value ? [valuesWithin(value, range)] : [];
    }
    case 'distance':
      return typeof order === 'object' ? ring(range.from, range.below, order) : [];
    case 'no key':
      return [withoutKey(order)];
    case 'id': {
      const { from, before } = range;
      const ids = { ...(from !== undefined && { gte: from }), ...(before !== undefined && { lt: before }) };
      return [...rangeClauses(range.keyRange, order), { range: { [field('id')]: ids } }];
    }
    default:
      return range satisfies never;
  }
}

/**
 * Returns the sort key after which the items of `range` begin, if the clauses of the range do not determine
 * it.
 */
export function rangeStart(range: OrderRange): number | undefined {
  const key = range.by === 'id' ? range.keyRange : range;
  return key.by === 'distance' && key.from > 0 ? nextBelow(key.from) : undefined;
}

/** Joins two consecutive ranges. Returns undefined if a single filter cannot select both. */
export function joinRanges(range: OrderRange, next: OrderRange): OrderRange | undefined {
  const count = range.count + next.count;
  if (range.by === 'value' && next.by === 'value')
    return {
      ...range,
      from: Math.min(range.from, next.from),
      below: Math.max(range.below, next.below),
      count,
    };
  if (range.by === 'distance' && next.by === 'distance') return { ...range, below: next.below, count };
  if (range.by !== 'id' || next.by !== 'id') return undefined;
  const { before: _, ...open } = range;
  return { ...open, ...(next.before !== undefined && { before: next.before }), count };
}

function ring(from: number, below: number, point: Point): Clause[] {
  const outer = within(below + RING_MARGIN, point);
  return [
    from > RING_MARGIN ? { bool: { filter: [outer], must_not: [within(from - RING_MARGIN, point)] } } : outer,
  ];
}

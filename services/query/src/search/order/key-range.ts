import { type Clause, type FeedOrder, field, within } from './feed-order.ts';

/** A contiguous part of an order that a filter can select, with its number of matching items. */
export type OrderRange = KeyRange | IdRange;

/** A range by the first sort key. */
export type KeyRange =
  | TimeRange
  /** In meters. `below` is exclusive. */
  | { by: 'distance'; from: number; below: number; count: number }
  /** The items without coordinates, which come last. */
  | { by: 'no distance'; count: number };

/** A range of publication times in milliseconds, both ends included. */
export interface TimeRange {
  by: 'published_at';
  oldest: number;
  newest: number;
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

/** Longer than the distance between any two points on Earth, in meters. */
export const ABOVE_ANY_DISTANCE = 20_020_000;

/**
 * Returns the clauses that all items of `range` match. For a range of distances, some items just outside the
 * range may match too.
 */
export function rangeClauses(range: OrderRange, order: FeedOrder): Clause[] {
  switch (range.by) {
    case 'published_at':
      return [{ range: { [field('published_at')]: { gte: range.oldest, lte: range.newest } } }];
    case 'distance':
      return order === 'newest' ? [] : ring(range.from, range.below, order);
    case 'no distance':
      return [{ bool: { must_not: [{ exists: { field: field('point') } }] } }];
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
  if (range.by === 'published_at' && next.by === 'published_at')
    return { ...range, oldest: next.oldest, count };
  if (range.by === 'distance' && next.by === 'distance') return { ...range, below: next.below, count };
  if (range.by !== 'id' || next.by !== 'id') return undefined;
  const { before: _, ...open } = range;
  return { ...open, ...(next.before !== undefined && { before: next.before }), count };
}

function ring(from: number, below: number, point: Exclude<FeedOrder, 'newest'>): Clause[] {
  const outer = within(below + RING_MARGIN, point);
  return [
    from > RING_MARGIN ? { bool: { filter: [outer], must_not: [within(from - RING_MARGIN, point)] } } : outer,
  ];
}

/** Returns the next smaller double for a positive value. */
export const nextBelow = (value: number): number => adjacentDouble(value, -1n);
/** Returns the next larger double for a value that is not negative. */
export const nextAbove = (value: number): number => adjacentDouble(value, 1n);

function adjacentDouble(value: number, by: bigint): number {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + by);
  return bits.getFloat64(0);
}

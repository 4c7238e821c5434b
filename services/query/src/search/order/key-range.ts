import { type Clause, type FeedOrder, field, within } from './feed-order.ts';

/** A contiguous part of an order that a filter can select, and the number of matching items in it. */
export type Stretch = KeyStretch | IdStretch;

/** A stretch by the first sort key. */
export type KeyStretch =
  | TimeStretch
  /** Metres, `below` excluded. */
  | { by: 'distance'; from: number; below: number; count: number }
  /** The items without coordinates. They come last. */
  | { by: 'no distance'; count: number };

/** A stretch of publication times in milliseconds, both ends included. */
export interface TimeStretch {
  by: 'published_at';
  oldest: number;
  newest: number;
  count: number;
}

/**
 * A stretch of ids, from `from` inclusive to `before` exclusive, among items with the same first sort key.
 */
export interface IdStretch {
  by: 'id';
  among: KeyStretch;
  from?: string;
  before?: string;
  count: number;
}

/**
 * A margin in metres around the filter of a ring. Elasticsearch's distance filter and distance sort differ by
 * a few millimetres, because they store coordinates differently. Its distance aggregation and sort do not
 * differ. So an aggregation counts the rings, the sort key marks their beginning (`stretchStart`), and the
 * filter has this margin.
 */
const RING_MARGIN = 1;

/** Longer than the distance between any two points on earth, in metres. */
export const BEYOND_EARTH = 20_020_000;

/**
 * The clauses that all items of `stretch` match. For distances, some items just outside `stretch` may match
 * too.
 */
export function stretchClauses(stretch: Stretch, order: FeedOrder): Clause[] {
  switch (stretch.by) {
    case 'published_at':
      return [{ range: { [field('published_at')]: { gte: stretch.oldest, lte: stretch.newest } } }];
    case 'distance':
      return order === 'newest' ? [] : ring(stretch.from, stretch.below, order);
    case 'no distance':
      return [{ bool: { must_not: [{ exists: { field: field('point') } }] } }];
    case 'id': {
      const { from, before } = stretch;
      const range = { ...(from !== undefined && { gte: from }), ...(before !== undefined && { lt: before }) };
      return [...stretchClauses(stretch.among, order), { range: { [field('id')]: range } }];
    }
    default:
      return stretch satisfies never;
  }
}

/** The sort key after which the items of `stretch` begin, if its clauses alone do not determine that. */
export function stretchStart(stretch: Stretch): number | undefined {
  const key = stretch.by === 'id' ? stretch.among : stretch;
  return key.by === 'distance' && key.from > 0 ? nextBelow(key.from) : undefined;
}

/** Joins two consecutive stretches if one filter can select both; otherwise undefined. */
export function joined(stretch: Stretch, next: Stretch): Stretch | undefined {
  const count = stretch.count + next.count;
  if (stretch.by === 'published_at' && next.by === 'published_at') return { ...stretch, oldest: next.oldest, count };
  if (stretch.by === 'distance' && next.by === 'distance') return { ...stretch, below: next.below, count };
  if (stretch.by !== 'id' || next.by !== 'id') return undefined;
  const { before: _, ...open } = stretch;
  return { ...open, ...(next.before !== undefined && { before: next.before }), count };
}

function ring(from: number, below: number, point: Exclude<FeedOrder, 'newest'>): Clause[] {
  const outer = within(below + RING_MARGIN, point);
  return [from > RING_MARGIN ? { bool: { filter: [outer], must_not: [within(from - RING_MARGIN, point)] } } : outer];
}

/** The largest double below a positive one. */
export const nextBelow = (value: number): number => moved(value, -1n);
/** The smallest double above one that is not negative. */
export const nextAbove = (value: number): number => moved(value, 1n);

function moved(value: number, by: bigint): number {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + by);
  return bits.getFloat64(0);
}

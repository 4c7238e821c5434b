import { type Clause, type FeedOrder, field, within } from './feed-order.ts';

/** A connected part of an order that can be told by a filter, and how many of the matching items are in it. */
export type Stretch = KeyStretch | IdStretch;

/** By the first sort key. */
export type KeyStretch =
  | TimeStretch
  /** Metres, `below` excluded. */
  | { by: 'distance'; from: number; below: number; count: number }
  /** The items without coordinates, that come last. */
  | { by: 'no distance'; count: number };

/** Milliseconds, both included. */
export interface TimeStretch {
  by: 'published_at';
  oldest: number;
  newest: number;
  count: number;
}

/** By id, from `from` to before `before`, among items whose first sort key is one and the same. */
export interface IdStretch {
  by: 'id';
  among: KeyStretch;
  from?: string;
  before?: string;
  count: number;
}

/**
 * Elasticsearch's distance filter and its distance sort differ by some millimetres (they keep
 * coordinates differently), its distance aggregation and its sort do not. So rings are counted by
 * aggregation, begun by sort key (`stretchStart`), and filtered with this many metres to spare.
 */
const RING_MARGIN = 1;

/** Longer than the way to any point on earth, in metres. */
export const BEYOND_EARTH = 20_020_000;

/** What the items of `stretch` have in common; of distances, some others may have it too, just before and behind them. */
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

/** The sort key behind which the items of `stretch` come first, where its clauses do not say so. */
export function stretchStart(stretch: Stretch): number | undefined {
  const key = stretch.by === 'id' ? stretch.among : stretch;
  return key.by === 'distance' && key.from > 0 ? nextBelow(key.from) : undefined;
}

/** Two consecutive stretches as one, where one filter can tell it. */
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

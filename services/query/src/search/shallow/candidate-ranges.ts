import type { SortPosition } from '../../request/sort-position.ts';
import { nextAbove } from '../order/doubles.ts';
import { ABOVE_ANY_DISTANCE, type KeyRange, type OrderRange } from '../order/key-range.ts';
import type { IdSample } from './id-sample.ts';
import type { KeyHistogram } from './key-histogram.ts';

/** The part of an order that a shallow page covers. */
export interface OrderPart {
  /** The position after which the part begins. It is undefined at the beginning of the order. */
  after: SortPosition | undefined;
  /** The number of matching items in the part, including skipped items. */
  count: number;
}

/**
 * Safety margin in standard deviations. If items are distributed randomly, a range almost always contains
 * enough items.
 */
const DEVIATIONS = 5;
const withMargin = (count: number): number => count + DEVIATIONS * Math.sqrt(count);
/** Factor by which the second range is wider than the first range. */
const WIDENING_FACTOR = 8;
/** Up to this number of matches, reading all of them is cheaper than narrowing the range. */
const FEW_MATCHES = 500;
/** If the number of matches is unknown, the first range assumes that one out of this many items matches. */
const ASSUMED_ITEMS_PER_MATCH = 64;

/** The number of items that match the filters of a page. */
export interface Matches {
  /** The result of an earlier page's count, if any. */
  estimate: number | undefined;
  /** The result of the count in progress. */
  total: Promise<number>;
}

/**
 * Returns the range of ids that probably contains the items after a position, if all of these items have the
 * position's sort key. Without this range, a search after a position visits all items with this key, and
 * sorts them by id.
 * @param sharePerMatch recently observed share of all ids per matching item with this key
 */
export function tiedRange(
  { after, count }: OrderPart,
  ids: IdSample | undefined,
  sharePerMatch: number | undefined,
): OrderRange[] {
  if (!after || sharePerMatch === undefined) return [];
  const before = ids?.next(withMargin(count) * sharePerMatch, after.id);
  if (before === undefined) return [];
  const { key, id: from } = after;
  const keyRange: KeyRange =
    key === null ? { by: 'no key', count: 0 } : { by: 'value', from: key, below: nextAbove(key), count: 0 };
  return [{ by: 'id', keyRange, from, before, count: 0 }];
}

/**
 * Yields increasingly wide ranges of a value order that probably contain `part`. Does not set their `count`.
 * @param itemsPerMatch recently observed number of items in the whole index per matching item in this part of
 *   the order, or undefined if unknown
 */
export async function* valueRanges(
  { after, count }: OrderPart,
  { estimate, total }: Matches,
  histogram: KeyHistogram | undefined,
  itemsPerMatch: number | undefined,
): AsyncGenerator<KeyRange> {
  const begin = after?.key;
  if (begin === null) {
    yield { by: 'no key', count: 0 };
    return;
  }
  if (!histogram) return;
  const rangeOf = (width: number, matching: number): KeyRange[] => {
    const values =
      matching > FEW_MATCHES
        ? histogram.next(width * withMargin(count) * (itemsPerMatch ?? histogram.total / matching), begin)
        : undefined;
    return values === undefined ? [] : [{ by: 'value', ...values, count: 0 }];
  };
  yield* rangeOf(1, estimate ?? histogram.total / ASSUMED_ITEMS_PER_MATCH);
  yield* rangeOf(WIDENING_FACTOR, await total);
}

/** The first radius if the density is unknown, in meters: about a neighborhood. */
const DEFAULT_RADIUS = 2_000;
/** The minimum width of a range, in meters: about a building. */
const MIN_WIDTH = 20;
const RADIUS_FACTOR = 4;
const MAX_RANGES = 3;

/**
 * Yields increasingly wide ranges of the nearest-first order that probably contain `part`. Does not set their
 * `count`.
 * @param density recently observed number of matching items per square meter around the point, or undefined
 * if unknown
 */
export async function* nearbyRanges(
  { after, count }: OrderPart,
  { estimate, total }: Matches,
  density: number | undefined,
): AsyncGenerator<KeyRange> {
  // Items without coordinates come last and have no distance, so no range of distances can contain them. A
  // cursor can contain any distance.
  const from = after === undefined ? 0 : (after.key ?? ABOVE_ANY_DISTANCE);
  if (estimate !== undefined && estimate <= FEW_MATCHES) return;
  let width =
    density === undefined
      ? DEFAULT_RADIUS
      : Math.max(Math.hypot(from, Math.sqrt(withMargin(count) / (Math.PI * density))) - from, MIN_WIDTH);
  for (let range = 0; range < MAX_RANGES; range++, width *= RADIUS_FACTOR) {
    if (from + width >= ABOVE_ANY_DISTANCE) return;
    yield { by: 'distance', from, below: from + width, count: 0 };
    if ((await total) <= FEW_MATCHES) return;
  }
}

/** Returns the number of items per square meter between two distances. */
export const densityOf = (items: number, from: number, to: number): number =>
  items / (Math.PI * (to ** 2 - from ** 2));

/** Returns whether `range` contains all items of the order between its own beginning and `position`. */
export const containsUpTo = ({ key }: SortPosition, range: OrderRange): boolean =>
  range.by !== 'distance' || (key !== null && key < range.below);

import type { Place } from '../../request/sort-position.ts';
import { BEYOND_EARTH, type KeyStretch } from '../order/key-range.ts';
import type { Hints } from './estimates.ts';

/** The part of an order that a page near its beginning covers. */
export interface Part {
  /** The place after which the part begins; undefined = the beginning of the order. */
  after: Place | undefined;
  /** The number of matching items in the part, including skipped ones. */
  count: number;
}

/**
 * Safety margin in standard deviations. If items are distributed randomly, a range almost always contains
 * enough of them.
 */
const DEVIATIONS = 5;
const amply = (count: number): number => count + DEVIATIONS * Math.sqrt(count);
/** Factor by which the second range is wider than the first. */
const WIDER = 8;
/** Up to this number of matches, reading all of them is cheaper than narrowing the range. */
const FEW = 500;
/** If the number of matches is unknown, one item in this number is assumed to match. */
const ONE_OF = 64;

/** The number of items that match the filter of a page. */
export interface Matches {
  /** The number that an earlier page counted. */
  hint: number | undefined;
  /** The result of the count in progress. */
  total: Promise<number>;
}

/** Increasingly wide ranges of newest first that probably contain `part`. Their `count` is not set. */
export async function* recentReaches({ after, count }: Part, { hint, total }: Matches, hints: Hints): AsyncGenerator<KeyStretch> {
  const timeline = hints.timeline();
  if (!timeline) return;
  const newest = after?.key ?? Number.MAX_SAFE_INTEGER;
  const among = (items: number, matching: number): KeyStretch[] => {
    const oldest = matching > FEW ? timeline.since((items * timeline.total) / matching, newest) : undefined;
    return oldest === undefined ? [] : [{ by: 'published_at', oldest, newest, count: 0 }];
  };
  yield* among(amply(count), hint ?? timeline.total / ONE_OF);
  yield* among(WIDER * amply(count), await total);
}

/** The first radius if no density is known, in metres: a neighbourhood. */
const NEAR = 2_000;
/** The smallest width of a range, in metres: a building. */
const NEAREST = 20;
const MORE_RADIUS = 4;
const MAX_RANGES = 3;

/**
 * Increasingly wide ranges of nearest first that probably contain `part`. Their `count` is not set.
 * @param density recently observed matching items per square metre around the point; undefined = unknown
 */
export async function* nearbyReaches({ after, count }: Part, { hint, total }: Matches, density: number | undefined): AsyncGenerator<KeyStretch> {
  // Items without coordinates come last and have no distance, so no range can contain them. A cursor may
  // contain any distance.
  const from = after === undefined ? 0 : (after.key ?? BEYOND_EARTH);
  if (hint !== undefined && hint <= FEW) return;
  let width = density === undefined ? NEAR : Math.max(Math.hypot(from, Math.sqrt(amply(count) / (Math.PI * density))) - from, NEAREST);
  for (let range = 0; range < MAX_RANGES; range++, width *= MORE_RADIUS) {
    if (from + width >= BEYOND_EARTH) return;
    yield { by: 'distance', from, below: from + width, count: 0 };
    if ((await total) <= FEW) return;
  }
}

/** Items per square metre between two distances. */
export const densityOf = (items: number, from: number, to: number): number => items / (Math.PI * (to ** 2 - from ** 2));

/** Whether `stretch` also contains all items between its beginning and `place` in the whole order. */
export const isWithin = ({ key }: Place, stretch: KeyStretch): boolean => stretch.by !== 'distance' || (key !== null && key < stretch.below);

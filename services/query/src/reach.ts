import type { Place, Point } from './feed-order.ts';
import type { Hints } from './hints.ts';
import { BEYOND_EARTH, type KeyStretch } from './stretch.ts';

/** A page that is not deep, as a part of an order. */
export interface Part {
  /** The place behind which it begins; undefined = at the beginning of the order. */
  after: Place | undefined;
  /** How many matching items it has from there on, with those that are skipped. */
  count: number;
}

/** So many standard deviations: with items spread at random, hardly ever too few. */
const DEVIATIONS = 5;
const amply = (count: number): number => count + DEVIATIONS * Math.sqrt(count);
/** By so much a second look is wider. */
const WIDER = 8;
/** So few are read faster than they are narrowed down. */
const FEW = 500;
/** Where it is not known how many match: one of so many. */
const ONE_OF = 64;

/**
 * Ever wider stretches of newest first that probably hold `part`; how many items they have is not known.
 * @param hint how many items matched lately
 * @param total how many match
 */
export async function* recentReaches(
  { after, count }: Part,
  hint: number | undefined,
  total: Promise<number>,
  hints: Hints,
): AsyncGenerator<KeyStretch> {
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

/** Where nothing is known of how close to each other items are: some streets, in metres. */
const NEAR = 2_000;
/** However close they are: a house. */
const NEAREST = 20;
const MORE_RADIUS = 4;
const LOOKS = 3;

/** The same of nearest to a point first. */
export function* nearbyReaches(point: Point, { after, count }: Part, hints: Hints): Generator<KeyStretch> {
  // Those without coordinates come last, and none is nearer than another; a cursor may name any distance.
  const from = after === undefined ? 0 : (after.key ?? BEYOND_EARTH);
  if (from >= BEYOND_EARTH) return;
  const density = hints.densityAt(point);
  let width = density === undefined ? NEAR : Math.max(Math.hypot(from, Math.sqrt(amply(count) / (Math.PI * density))) - from, NEAREST);
  for (let look = 0; look < LOOKS; look++, width *= MORE_RADIUS) yield { by: 'distance', from, below: from + width, count: 0 };
}

/** Items per square metre between two distances. */
export const densityOf = (items: number, from: number, to: number): number => items / (Math.PI * (to ** 2 - from ** 2));

/** Whether `place`, found in `stretch`, has before it in the whole order nothing but what is in `stretch` too. */
export const isWithin = ({ key }: Place, stretch: KeyStretch): boolean => stretch.by !== 'distance' || (key !== null && key < stretch.below);

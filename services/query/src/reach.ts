import type { Place } from './feed-order.ts';
import type { Hints } from './hints.ts';
import { BEYOND_EARTH, type KeyStretch } from './stretch.ts';

/** A page near the beginning of an order, as a part of that order. */
export interface Part {
  /** The place behind which it begins; undefined = at the beginning of the order. */
  after: Place | undefined;
  /** The number of matching items from there to its end, including skipped ones. */
  count: number;
}

/** Standard deviations of spare room: with items spread at random, hardly ever too few. */
const DEVIATIONS = 5;
const amply = (count: number): number => count + DEVIATIONS * Math.sqrt(count);
/** How much wider the second range is. */
const WIDER = 8;
/** Reading all of so few matches is cheaper than narrowing them down. */
const FEW = 500;
/** Where the number of matches is unknown: one item of so many is assumed to match. */
const ONE_OF = 64;

/** What is known of the filter of a page. */
export interface Matches {
  /** The number of matches that an earlier page counted. */
  hint: number | undefined;
  /** The number of matches, being counted. */
  total: Promise<number>;
}

/** Ever wider ranges of newest first that probably hold `part`; their numbers of items are unknown. */
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

/** The first radius where no density is known: some streets, in metres. */
const NEAR = 2_000;
/** The smallest radius: a house. */
const NEAREST = 20;
const MORE_RADIUS = 4;
const MAX_RANGES = 3;

/**
 * The same for nearest to a point first.
 * @param density items per square metre around the point that matched lately; undefined = unknown
 */
export async function* nearbyReaches({ after, count }: Part, { hint, total }: Matches, density: number | undefined): AsyncGenerator<KeyStretch> {
  // Items without coordinates come last, and none is nearer than another; a cursor may name any distance.
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

/** Whether all items that precede `place` in the whole order are in `stretch` too. */
export const isWithin = ({ key }: Place, stretch: KeyStretch): boolean => stretch.by !== 'distance' || (key !== null && key < stretch.below);

import { toCents } from '../../stored/cheapest-stay.ts';
import { allOf, type Clause, field } from '../order/feed-order.ts';

/** Limits on a stay's total in BRL, both inclusive. */
export interface TotalLimits {
  minTotal?: number | undefined;
  maxTotal?: number | undefined;
}

export const hasLimits = ({ minTotal, maxTotal }: TotalLimits): boolean =>
  minTotal !== undefined || maxTotal !== undefined;

/** Returns whether a total in BRL is within the limits. */
export const isWithin = (
  total: number,
  { minTotal = 0, maxTotal = Number.POSITIVE_INFINITY }: TotalLimits,
): boolean => total >= minTotal && total <= maxTotal;

/**
 * Prices per night in cents. A stay whose nights all cost at least `least` and at most `most` is within the
 * limits.
 */
interface NightLimits {
  least: number | undefined;
  most: number | undefined;
}

const CENTS = 100;

/**
 * Divides the limits by the number of nights, so that `nights` times the result is exactly within the limits.
 */
function perNight({ minTotal, maxTotal }: TotalLimits, nights: number): NightLimits {
  const total = (cents: number) => (nights * cents) / CENTS;
  let least = minTotal === undefined ? undefined : Math.ceil(toCents(minTotal) / nights);
  let most = maxTotal === undefined ? undefined : Math.floor(toCents(maxTotal) / nights);
  // A limit may have more than two decimals.
  if (least !== undefined && minTotal !== undefined && total(least) < minTotal) least++;
  if (most !== undefined && maxTotal !== undefined && total(most) > maxTotal) most--;
  return { least, most };
}

/**
 * Clauses that tell which items have totals within the limits, as far as this follows from the lowest and
 * highest nightly prices.
 */
export interface LimitClauses {
  /** Matches only items whose totals are within the limits. */
  sure: Clause;
  /** Matches every item whose total is within the limits. */
  possible: Clause[];
}

/**
 * Every total of an item is between `nights` times its lowest and `nights` times its highest nightly price.
 * So only the items whose prices are on both sides of a limit need an evaluation.
 */
export function limitClauses(limits: TotalLimits, nights: number): LimitClauses {
  const { least, most } = perNight(limits, nights);
  const [low, high] = [field('lowest_night'), field('highest_night')];
  const sure: Clause[] = [];
  const possible: Clause[] = [];
  if (most !== undefined) {
    sure.push({ range: { [high]: { lte: most / CENTS } } });
    possible.push({ range: { [low]: { lt: (most + 1) / CENTS } } });
  }
  if (least !== undefined) {
    sure.push({ range: { [low]: { gte: least / CENTS } } });
    possible.push({ range: { [high]: { gt: (least - 1) / CENTS } } });
  }
  return { sure: allOf(sure), possible };
}

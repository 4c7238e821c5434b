import type { Sort } from '@vitrine/feed-index/filters';
import { datesFrom } from './calendar-dates.ts';

/** Maximum number of dates in the window for a flexible stay. */
export const MAX_WINDOW_DAYS = 92;

export interface StayCriteria {
  /** The number of consecutive dates in a flexible stay within the requested dates. */
  nights?: number;
  /** Inclusive limits on the total price of the stay's nights, in BRL. */
  minTotal?: number;
  maxTotal?: number;
}

/** The dates of a request, and its stay. */
interface DatedStay extends StayCriteria {
  date?: string;
  dateTo?: string;
}

/** The dates within which a stay of some consecutive nights may lie. */
export interface StayWindow {
  /** YYYY-MM-DD. */
  first: string;
  /** YYYY-MM-DD, inclusive. The window contains no stay if it has fewer dates than `nights`. */
  last: string;
  nights: number;
}

/**
 * Returns the window for the requested stay. A window with `nights` begins today if its first date is in the
 * past. Without `nights`, the stay is the whole range. Rule: docs/reference/rules.md#stays.
 * @param today YYYY-MM-DD
 * @returns undefined if the request has no date
 */
export function stayWindow(
  { date, dateTo: last = date, nights }: DatedStay,
  today: string,
): StayWindow | undefined {
  if (date === undefined || last === undefined) return undefined;
  if (nights === undefined) return { first: date, last, nights: datesFrom(date, last).length };
  return { first: date < today ? today : date, last, nights };
}

/** Returns whether each item in the response has a `stay`. A request without a stay parameter gets none. */
export const asksForStay = ({ sort, nights, minTotal, maxTotal }: StayCriteria & { sort?: Sort }): boolean =>
  sort === 'total_price' || [nights, minTotal, maxTotal].some((value) => value !== undefined);

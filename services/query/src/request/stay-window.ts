import { datesFrom } from './calendar-dates.ts';
import type { FeedCriteria } from './criteria.ts';

/** The dates within which a stay of some consecutive nights may lie. */
export interface StayWindow {
  /** YYYY-MM-DD. */
  first: string;
  /** YYYY-MM-DD, included. The window contains no stay if it has fewer dates than `nights`. */
  last: string;
  nights: number;
}

type StayFilters = Pick<FeedCriteria, 'date' | 'dateTo' | 'nights' | 'sort' | 'minTotal' | 'maxTotal'>;

/**
 * Returns the window of the requested stay. A window with `nights` begins today if its first date is in the past.
 * Without `nights`, the stay is the whole range. Rule: docs/reference/rules.md#stays.
 * @param today YYYY-MM-DD
 * @returns undefined without a date
 */
export function stayWindow(
  { date, dateTo: last = date, nights }: StayFilters,
  today: string,
): StayWindow | undefined {
  if (date === undefined || last === undefined) return undefined;
  if (nights === undefined) return { first: date, last, nights: datesFrom(date, last).length };
  return { first: date < today ? today : date, last, nights };
}

/** Whether the response states each item's stay. Requests without the parameters of stays get no such member. */
export const asksForStay = ({ sort, nights, minTotal, maxTotal }: StayFilters): boolean =>
  sort === 'total_price' || [nights, minTotal, maxTotal].some((value) => value !== undefined);

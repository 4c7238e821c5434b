import { addDays, datesFrom } from './calendar-dates.ts';
import type { FeedCriteria } from './criteria.ts';

/**
 * Number of days before and after the requested dates in `meta.availability`. Rule:
 * docs/reference/rules.md#date-summaries.
 */
export const NEIGHBORING_DAYS = 3;

/**
 * Returns the dates of `meta.availability` in ascending order: the requested dates and their neighbors, but
 * no dates before `today`. Returns no dates for the public feed, and if the request has no date.
 */
export function neighboringDates({ feed, date, dateTo = date }: FeedCriteria, today: string): string[] {
  if (feed !== 'ai-feed' || date === undefined || dateTo === undefined) return [];
  const first = addDays(date, -NEIGHBORING_DAYS);
  return datesFrom(first < today ? today : first, addDays(dateTo, NEIGHBORING_DAYS));
}

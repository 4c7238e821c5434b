import { addDays, datesFrom } from './calendar-dates.ts';
import type { FeedCriteria } from './criteria.ts';

/** Days around the requested dates in `meta.availability`. docs/reference/rules.md#date-summaries. */
const NEIGHBOURING_DAYS = 3;

/**
 * The dates of `meta.availability`, ascending: the requested dates and those around them, never before
 * `today`. Empty on the public feed and without a date.
 */
export function neighbouringDates({ feed, date, dateTo = date }: FeedCriteria, today: string): string[] {
  if (feed !== 'ai-feed' || date === undefined || dateTo === undefined) return [];
  const first = addDays(date, -NEIGHBOURING_DAYS);
  return datesFrom(first < today ? today : first, addDays(dateTo, NEIGHBOURING_DAYS));
}

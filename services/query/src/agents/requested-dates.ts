import type { FeedCriteria } from '../request/criteria.ts';

/** The requested dates, without past ones. */
export const requestedDates = (
  { date, dateTo = date }: FeedCriteria,
  today: string,
): readonly [string, string] | undefined =>
  date === undefined || dateTo === undefined ? undefined : withoutPast([date, dateTo], today);

/** A range of dates without the past ones. */
export const withoutPast = (
  [first, last]: readonly [string, string],
  today: string,
): readonly [string, string] => [first < today ? today : first, last];

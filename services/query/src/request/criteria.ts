import type { FeedName } from '../contract/operations.ts';
import type { FilterCriteria } from '../filters/index.ts';
import { addDays, datesFrom } from './calendar-dates.ts';
import type { SortPosition } from './sort-position.ts';

/**
 * The meaning of a request in normalized form, which is equal for every spelling of the same request. The
 * table of filters (`filters/index.ts`) defines the other members.
 */
export interface FeedCriteria extends FilterCriteria {
  feed: FeedName;
  /** The page number is absent in a cursor crawl. */
  page?: number;
  /** The position after which a cursor page begins. It is absent at the start of a crawl. */
  after?: SortPosition;
  pageSize: number;
}

/**
 * Number of days before and after the requested dates in `meta.availability`. Rule:
 * docs/reference/rules.md#date-summaries.
 */
export const NEIGHBORING_DAYS = 3;

/**
 * Returns the dates for `meta.availability` in ascending order: the requested dates and their neighbors, but
 * no dates before `today`. Returns no dates for the public feed, or if the request has no date.
 */
export function neighboringDates({ feed, date, dateTo = date }: FeedCriteria, today: string): string[] {
  if (feed !== 'ai-feed' || date === undefined || dateTo === undefined) return [];
  const first = addDays(date, -NEIGHBORING_DAYS);
  return datesFrom(first < today ? today : first, addDays(dateTo, NEIGHBORING_DAYS));
}

/** The variant of every page that does not depend on today's date. */
const ANY_DATE = '';
const PAST = 'past';

/**
 * Describes how a page depends on today's date. Two dates with the same variant have the same page, so a
 * cached page can serve both dates. The date itself is not part of a cache key. Source:
 * docs/decisions/0024-midnight.md.
 * @param today YYYY-MM-DD
 * @returns the same string for equal pages; '' if the page is the same on every date
 */
export function dateVariant(criteria: FeedCriteria, today: string): string {
  const { feed, date, dateTo = date, nights } = criteria;
  // If the request has no date, the agent feed serves the availability from today on, and the public feed
  // serves no dates.
  if (date === undefined || dateTo === undefined) return feed === 'ai-feed' ? today : ANY_DATE;
  // A past date matches no items. The dates of `meta.availability` never begin before today.
  const [firstCounted = ''] = neighboringDates(criteria, today);
  return `${date >= today ? ANY_DATE : hasStay(today, dateTo, nights) ? today : PAST}${firstCounted}`;
}

/** Returns whether a window that began before `today` still contains a stay. */
const hasStay = (today: string, last: string, nights: number | undefined): boolean =>
  nights !== undefined && datesFrom(today, last).length >= nights;

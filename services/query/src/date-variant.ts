import { neighbouringDates } from './feed-query.ts';
import type { FeedCriteria } from './feed-request.ts';

/** The variant of every page that does not depend on today's date. */
const ANY_DATE = '';
const PAST = 'past';

/**
 * What a page takes from today's date. Two dates with the same variant give the same page, so a page may be served on
 * both; the date itself is no part of a cache key. Source: docs/decisions/0024-midnight.md.
 * @param today YYYY-MM-DD
 * @returns equal text for equal pages; '' where the page is the same on every date
 */
export function dateVariant(criteria: FeedCriteria, today: string): string {
  const { feed, date } = criteria;
  // Without a date, the agent feed serves the availability from today on, and the public feed serves no dates.
  if (date === undefined) return feed === 'ai-feed' ? today : ANY_DATE;
  // Past dates match nothing, and the dates of `meta.availability` begin today at the earliest.
  const [firstCounted = ''] = neighbouringDates(criteria, today);
  return `${date < today ? PAST : ANY_DATE}${firstCounted}`;
}

import type { FeedCriteria } from './criteria.ts';
import { neighbouringDates } from './neighbouring-dates.ts';

/** The variant of every page that does not depend on today's date. */
const ANY_DATE = '';
const PAST = 'past';

/**
 * The part of a page that depends on today's date. If two dates have the same variant, they have the same
 * page, so a cached page can serve both dates. The date itself is not part of a cache key. Source:
 * docs/decisions/0024-midnight.md.
 * @param today YYYY-MM-DD
 * @returns equal text for equal pages; '' if the page is the same on every date
 */
export function dateVariant(criteria: FeedCriteria, today: string): string {
  const { feed, date } = criteria;
  // Without a date, the agent feed serves availability from today on, and the public feed serves no dates.
  if (date === undefined) return feed === 'ai-feed' ? today : ANY_DATE;
  // Past dates match nothing. The dates of `meta.availability` begin no earlier than today.
  const [firstCounted = ''] = neighbouringDates(criteria, today);
  return `${date < today ? PAST : ANY_DATE}${firstCounted}`;
}

import type { FeedCriteria } from './criteria.ts';
import { neighboringDates } from './neighboring-dates.ts';

/** The variant of every page that does not depend on today's date. */
const ANY_DATE = '';
const PAST = 'past';

/**
 * Describes how a page depends on today's date. Two dates with the same variant have the same page, so a
 * cached page can serve both dates. The date itself is not part of a cache key. Source:
 * docs/decisions/0024-midnight.md.
 * @param today YYYY-MM-DD
 * @returns equal text for equal pages; '' if the page is the same on every date
 */
export function dateVariant(criteria: FeedCriteria, today: string): string {
  const { feed, date } = criteria;
  // If the request has no date, the agent feed serves the availability from today on, and the public feed
  // serves no dates.
  if (date === undefined) return feed === 'ai-feed' ? today : ANY_DATE;
  // A past date matches no items. The dates of `meta.availability` never begin before today.
  const [firstCounted = ''] = neighboringDates(criteria, today);
  return `${date < today ? PAST : ANY_DATE}${firstCounted}`;
}

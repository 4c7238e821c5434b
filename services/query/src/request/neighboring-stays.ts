import { dayNumber } from '@vitrine/feed-index';
import { addDays, datesFrom, LAST_DATE } from './calendar-dates.ts';
import { type FeedCriteria, NEIGHBORING_DAYS } from './criteria.ts';
import { type StayWindow, stayWindow } from './stay-window.ts';

/**
 * Returns the first nights for `meta.stays`: those of a flexible stay, or those of the range and its shifts,
 * but none before today. Only the agent feed has them. Rule: docs/reference/rules.md#stays.
 */
export function neighboringStays(criteria: FeedCriteria, today: string): string[] {
  const stay = stayWindow(criteria, today);
  if (criteria.feed !== 'ai-feed' || !stay) return [];
  if (criteria.nights !== undefined) return startsOf(stay);
  const first = addDays(stay.first, -NEIGHBORING_DAYS);
  const firstNights = datesFrom(first < today ? today : first, addDays(stay.first, NEIGHBORING_DAYS));
  return firstNights.filter((from) => dayNumber(from) + stay.nights <= dayNumber(LAST_DATE) + 1);
}

/** Returns the first nights of the stays within a window. */
const startsOf = ({ first, last, nights }: StayWindow): string[] =>
  datesFrom(first, addDays(last, 1 - nights));

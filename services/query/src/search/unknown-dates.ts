import { dates } from '../filters/dates.ts';
import type { ClauseSettings } from '../filters/filter.ts';
import { dayNumber } from '../request/calendar-dates.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { type FeedQuery, feedQuery } from './feed-query.ts';
import { allOf, type Clause, field } from './order/feed-order.ts';

/**
 * Searches the items that match the filters other than the dates, and have no calendar entry on some of the dates.
 * Such a date is neither free nor taken.
 * @param first YYYY-MM-DD
 * @param last YYYY-MM-DD, included
 */
export function unknownDatesQuery(
  criteria: FeedCriteria,
  settings: ClauseSettings,
  first: string,
  last: string,
): FeedQuery {
  const others: FeedCriteria = { ...criteria };
  for (const member of [...(dates.removals.date ?? []), 'sort' as const]) delete others[member];
  const { request, ...query } = feedQuery(others, settings);
  return {
    ...query,
    request: { ...request, query: allOf([request.query ?? allOf([]), unknownOn(first, last)]) },
  };
}

/** Matches the items whose calendar does not contain every date. `known_days` has one range per run of dates. */
const unknownOn = (first: string, last: string): Clause => ({
  bool: {
    must_not: {
      range: {
        [field('known_days')]: { gte: dayNumber(first), lte: dayNumber(last), relation: 'contains' },
      },
    },
  },
});

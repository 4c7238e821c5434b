import { dayNumber } from '@vitrine/feed-index';
import { addDays, datesFrom } from '../../request/calendar-dates.ts';
import type { StayWindow } from '../../request/stay-window.ts';
import { allOf, type Clause, field } from '../order/feed-order.ts';

/** Matches the items that are available on every date of a stay. */
export const freeOn = (first: string, last: string): Clause[] =>
  datesFrom(first, last).map((date) => ({ term: { [field('open_dates')]: date } }));

/**
 * Matches the items that are available for some stay within the window: `nights` consecutive dates. The
 * clauses name each date a few times at most, because Elasticsearch limits the clauses of a query to about
 * 1,000 (docs/decisions/0119-totals-without-scripts.md).
 */
export function stayClauses({ first, last, nights }: StayWindow): Clause[] {
  const starts = firstNights({ first, last, nights });
  if (starts === 0) return [{ match_none: {} }];
  const should: Clause[] = [];
  // All stays in a group have a date in common, which is the last first night in the group.
  for (let from = 0; from < starts; from += nights)
    should.push(someStay(first, nights, from, Math.min(from + nights, starts)));
  return should.length === 1 ? should : [{ bool: { should } }];
}

/** Returns the number of first nights that a stay within the window can have. */
const firstNights = ({ first, last, nights }: StayWindow): number =>
  Math.max(datesFrom(first, last).length - nights + 1, 0);

/**
 * Matches the items that are available for some stay with a first night from `from` to before `to`, in days
 * after `first`. Halves of the group share the clauses of their common dates.
 * @param known the dates, in days after `first`, that clauses outside this one already require
 */
function someStay(
  first: string,
  nights: number,
  from: number,
  to: number,
  known: { from: number; to: number } = { from: to, to: to },
): Clause {
  const common = { from: to - 1, to: from + nights };
  const required: Clause[] = [];
  for (let day = common.from; day < common.to; day++)
    if (day < known.from || day >= known.to)
      required.push({ term: { [field('open_dates')]: addDays(first, day) } });
  if (to - from === 1) return allOf(required);
  const middle = (from + to) >> 1;
  const should = [someStay(first, nights, from, middle, common), someStay(first, nights, middle, to, common)];
  return allOf([...required, { bool: { should } }]);
}

/**
 * Matches the items whose calendars lack a date from `first` to `last`. The date may be in a gap or outside
 * the calendar.
 */
export const calendarUnknown = (first: string, last: string): Clause => ({
  bool: {
    must_not: [
      {
        range: {
          [field('known_days')]: { gte: dayNumber(first), lte: dayNumber(last), relation: 'contains' },
        },
      },
    ],
  },
});

import { day, say } from '../agents/answer-text.ts';
import { addDays, datesFrom } from '../request/calendar-dates.ts';
import { MAX_WINDOW_DAYS, type StayCriteria } from '../request/stay-window.ts';
import { field } from '../search/order/feed-order.ts';
import type { Filter } from './filter.ts';

/** Maximum number of dates in a range, both ends included. */
export const MAX_RANGE_DAYS = 31;

interface DateCriteria {
  /** A valid date as YYYY-MM-DD. */
  date?: string;
  /**
   * The last date of a range, or of the window for a flexible stay, that begins at `date`. The member is
   * absent if the range or window contains only `date`.
   */
  dateTo?: string;
}

/** The dates on each of which the items must be available. Rule: docs/reference/rules.md#dates. */
export const dates: Filter<DateCriteria & StayCriteria, 'date' | 'date_to'> = {
  parameters: {
    date: {
      feeds: {
        description:
          'Selects items that are available on this date. On the agent feed, `availability` then contains only ' +
          'this date, and `meta.availability` summarizes the neighboring dates.',
        example: '2027-01-15',
      },
      tools:
        'First date, YYYY-MM-DD: 2026-12-12. Only listings that are free on every date until date_to match. ' +
        'No default: any dates.',
      ucp:
        'First date of a stay, YYYY-MM-DD. A search returns only products that are available on every asked ' +
        'date. A lookup states whether the products are available. No default: any dates.',
    },
    date_to: {
      feeds: {
        description:
          `Last date of a range that begins at \`date\` and has at most ${MAX_RANGE_DAYS} dates. Selects items ` +
          'that are available on every date of the range. With `nights`, the range is a window of at most ' +
          `${MAX_WINDOW_DAYS} dates. Requires \`date\`, and must not be earlier than \`date\`.`,
        example: '2027-01-18',
      },
      tools:
        'Last date, inclusive: 2026-12-14. For a stay, this is the last night, the day before check-out. At most ' +
        `${MAX_RANGE_DAYS} dates, or ${MAX_WINDOW_DAYS} with nights. Needs date. Default: date.`,
      ucp:
        `Last date, inclusive, at most ${MAX_RANGE_DAYS} dates in total: the last night before check-out. ` +
        'Needs date. Default: date.',
    },
  },
  rule:
    '`date_to` requires `date` (or `data`), must not be earlier, and ends a range of at most ' +
    `${MAX_RANGE_DAYS} dates.`,
  read({ values: { date, date_to, nights }, isGiven }) {
    // A malformed `date` already has its own error.
    if (date === undefined)
      return isGiven('date') || date_to === undefined
        ? {}
        : { bad: badEnd('must not be given without date') };
    const last = date_to ?? addDays(date, (nights ?? 1) - 1);
    const fault = rangeFault(date, last, isGiven('nights') ? MAX_WINDOW_DAYS : MAX_RANGE_DAYS);
    if (fault) return { bad: badEnd(fault) };
    return { criteria: last === date ? { date } : { date, dateTo: last } };
  },
  members: ['date', 'dateTo'],
  firstFingerprint: ({ date, dateTo }) => [date, dateTo],
  links: ({ date, dateTo }) => ({ date, date_to: dateTo }),
  /** A past date matches no items. `nights` makes the range a window, which the stay filter searches. */
  clauses({ date, dateTo = date, nights }, { today }) {
    if (date === undefined || dateTo === undefined || nights !== undefined) return [];
    if (date < today) return [{ match_none: {} }];
    return datesFrom(date, dateTo).map((day) => ({ term: { [field('open_dates')]: day } }));
  },
  narrowsOnlyItems: true,
  // A client that looks up a listing wants to know whether it is available.
  passes: undefined,
  applied: ({ date, dateTo }) => (date === undefined ? {} : { date, date_to: dateTo ?? date }),
  appliedText({ date, date_to = date }) {
    if (date === undefined || date_to === undefined) return [];
    return [date === date_to ? say`date ${day(date)}` : say`dates ${day(date)} to ${day(date_to)}`];
  },
  // Without `nights`, a window would be a range.
  removals: { date: ['date', 'dateTo', 'nights', 'minTotal', 'maxTotal'] },
};

/** Returns what is wrong with the end of a range, or undefined if the range is valid. */
export function rangeFault(date: string, dateTo: string, maximum = MAX_RANGE_DAYS): string | undefined {
  if (dateTo < date) return 'must not be earlier than date';
  if (dateTo > addDays(date, maximum - 1)) return `must end a range of at most ${maximum} dates`;
  return undefined;
}

const badEnd = (detail: string) => [{ parameter: 'date_to', detail }];

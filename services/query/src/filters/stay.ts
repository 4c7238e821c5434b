import { dayNumber } from '@vitrine/feed-index';
import { say } from '../agents/answer-text.ts';
import { LAST_DATE } from '../request/calendar-dates.ts';
import { MAX_WINDOW_DAYS, type StayCriteria, stayWindow } from '../request/stay-window.ts';
import { stayClauses } from '../search/stays/stay-clauses.ts';
import { type BadParameter, defined, type Filter, withoutSign } from './filter.ts';

type Names = 'nights' | 'min_total_price' | 'max_total_price';

/** A stay of some nights within the dates, and limits on its total. Rule: docs/reference/rules.md#stays. */
export const stay: Filter<StayCriteria & { date?: string; dateTo?: string }, Names> = {
  parameters: {
    nights: {
      feeds: {
        description:
          'Number of consecutive nights of a flexible stay, from 1 to 30. `date` and `date_to` are then a window ' +
          `of at most ${MAX_WINDOW_DAYS} dates, and the feed contains the items that are available for some stay of ` +
          'this length within the window. Without `date_to`, the stay begins at `date`. Requires `date`.',
        example: 3,
      },
      tools:
        'Length of a stay with flexible dates, a number from 1 to 30: 3. The stay may begin on any date from date on ' +
        'and ends by date_to. Needs date. No default: the stay has all dates.',
    },
    min_total_price: {
      feeds: {
        description: 'Lowest total of the stay in BRL, inclusive. Requires `date`.',
        example: 300,
      },
      tools: 'Lowest total of the stay in BRL: 300. Needs date. No default.',
    },
    max_total_price: {
      feeds: {
        description:
          'Highest total of the stay in BRL, inclusive: the sum of the nightly prices. With `nights`, it applies ' +
          'to the cheapest stay in the window. Requires `date`.',
        example: 900,
      },
      tools: 'Highest total of the stay in BRL, the sum of its nights: 900. Needs date. No default.',
    },
  },
  rule:
    '`nights`, `min_total_price` and `max_total_price` require `date` (or `data`). With `nights`, `date_to` ends a ' +
    `window of at most ${MAX_WINDOW_DAYS} dates, which must not be shorter than the stay.`,
  read({ values: { nights, min_total_price: min, max_total_price: max, date, date_to }, isGiven }) {
    const bad: BadParameter[] = isGiven('date')
      ? []
      : Object.keys(defined({ nights, min_total_price: min, max_total_price: max })).map((parameter) => ({
          parameter,
          detail: 'must not be given without date',
        }));
    if (min !== undefined && max !== undefined && min > max)
      bad.push({ parameter: 'min_total_price', detail: 'must not be above max_total_price' });
    if (nights !== undefined && date !== undefined && isShort(date, date_to ?? LAST_DATE, nights))
      bad.push({ parameter: 'nights', detail: 'must not exceed the number of dates from date to date_to' });
    if (bad.length > 0) return { bad };
    return { criteria: defined({ nights, minTotal: withoutSign(min), maxTotal: withoutSign(max) }) };
  },
  members: ['nights', 'minTotal', 'maxTotal'],
  links: ({ nights, minTotal, maxTotal }) =>
    defined({ nights, min_total_price: minTotal, max_total_price: maxTotal }),
  // The limits are not clauses, because the search evaluates totals
  // (docs/decisions/0119-totals-without-scripts.md).
  clauses(criteria, { today }) {
    const window = criteria.nights === undefined ? undefined : stayWindow(criteria, today);
    return window ? stayClauses(window) : [];
  },
  narrowsOnlyItems: true,
  passes: undefined,
  applied: ({ nights, minTotal, maxTotal }) =>
    defined({ nights, min_total_price: minTotal, max_total_price: maxTotal }),
  appliedText: ({ nights, min_total_price, max_total_price }) => [
    ...(nights === undefined ? [] : [say`nights ${nights}`]),
    ...(min_total_price === undefined ? [] : [say`min_total_price ${min_total_price}`]),
    ...(max_total_price === undefined ? [] : [say`max_total_price ${max_total_price}`]),
  ],
  removals: { min_total_price: ['minTotal'], max_total_price: ['maxTotal'] },
};

/**
 * Returns whether the window has fewer dates than the stay. A window that ends before it begins has its own
 * error.
 */
const isShort = (date: string, last: string, nights: number): boolean =>
  last >= date && dayNumber(last) - dayNumber(date) + 1 < nights;

import { MAX_RANGE_DAYS } from '../contract/feed-parameters.ts';
import { addDays } from '../request/calendar-dates.ts';
import type { Stay } from './calendar.ts';
import { BadArguments } from './tool-arguments.ts';

/**
 * Reads the asked dates. Rule: docs/reference/rules.md#requests.
 * @throws BadArguments if the range is reversed or too long
 */
export function stayOf(date: string, dateTo = date): Stay {
  if (dateTo < date) throw badEnd('must not be earlier than date');
  if (dateTo > addDays(date, MAX_RANGE_DAYS - 1))
    throw badEnd(`must end a range of at most ${MAX_RANGE_DAYS} dates`);
  return { date, dateTo };
}

const badEnd = (detail: string): BadArguments => new BadArguments([{ argument: 'date_to', detail }]);

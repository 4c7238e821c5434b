import { rangeFault } from '../filters/dates.ts';
import type { Stay } from './calendar.ts';
import { BadArguments } from './tool-arguments.ts';

/**
 * Reads the asked dates. Rule: docs/reference/rules.md#requests.
 * @throws BadArguments if the range is reversed or too long
 */
export function stayOf(date: string, dateTo = date): Stay {
  const fault = rangeFault(date, dateTo);
  if (fault) throw new BadArguments([{ argument: 'date_to', detail: fault }]);
  return { date, dateTo };
}

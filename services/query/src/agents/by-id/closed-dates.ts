import { day, joined, type Shown, say } from '../answer-text.ts';
import type { ClosedDates } from '../calendar.ts';

/**
 * Names each requested date that is not known to be free, and says why. Returns no line if there is no such
 * date.
 */
export const closedText = ({ unavailable, unknown }: ClosedDates): Shown[] => [
  ...(unavailable.length > 0 ? [say`Taken or past: ${joined(unavailable.map(day), ', ')}`] : []),
  ...(unknown.length > 0
    ? [say`Unknown, neither free nor taken: ${joined(unknown.map(day), ', ')}. Ask the provider at the url.`]
    : []),
];

/**
 * Says up to which date the calendar is known, because later dates do not count as taken.
 * @param until YYYY-MM-DD
 */
export const calendarEndText = (until: string | undefined): Shown =>
  until === undefined
    ? say`No calendar: nobody knows which dates are free.`
    : say`calendar known until ${day(until)}; later dates are unknown, not taken`;

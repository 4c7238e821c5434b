import { addDays } from './calendar-dates.ts';

const FORM = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?)? ?([Zz]|[+-]\d\d:?\d\d)?$/;
/** America/Sao_Paulo, which has had no daylight saving time since 2019. */
const OFFSET = '-03:00';

/**
 * Reads a time in the format of RFC 3339, or the first part of one. A date without a time means midnight on
 * that date. Without an offset, the time is in America/Sao_Paulo.
 * @returns epoch milliseconds, or undefined if `text` is not a valid time
 */
export function readGivenTime(text: string): number | undefined {
  const [, date, minutes = '00:00', seconds = ':00', offset = OFFSET] = FORM.exec(text.trim()) ?? [];
  const time = Date.parse(`${date}T${minutes}${seconds}${offset.toUpperCase()}`);
  // JavaScript accepts 30 February and reads it as a date in March.
  return date === undefined || Number.isNaN(time) || addDays(date, 0) !== date ? undefined : time;
}

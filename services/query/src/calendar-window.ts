import type { Availability } from '@vitrine/feed-index';
import { eachElement, skipValue } from './json-slices.ts';

/** How the projector writes a date of the calendar. */
const DATE_PREFIX = Buffer.from('{"date":"');
const DATE_LENGTH = 'YYYY-MM-DD'.length;

/**
 * The dates from `first` to `last` of a calendar, as the elements of an array without its brackets.
 * Since a calendar is ascending, that is one piece of it; where that is seen not to be so, it is written anew.
 */
export function calendarWindow(calendar: Buffer, first: string, last: string): Buffer {
  const [from, to] = [numberOf(first), numberOf(last)];
  const [begin, final] = [dateAt(calendar, 1), dateAt(calendar, calendar.lastIndexOf(DATE_PREFIX))];
  // Most often all that there is, since a calendar looks ahead.
  if (begin >= from && final <= to && begin <= final) return calendar.subarray(1, -1);
  let [start, end, before] = [-1, -1, 0];
  let isAsWritten = true;
  eachElement(calendar, 0, (at) => {
    const date = dateAt(calendar, at);
    isAsWritten &&= date > before;
    before = date;
    const after = skipValue(calendar, at);
    if (date >= from && date <= to) {
      if (start === -1) start = at;
      end = after;
    }
    return after;
  });
  if (!isAsWritten) return rewritten(calendar, first, last);
  return start === -1 ? calendar.subarray(0, 0) : calendar.subarray(start, end);
}

const numberOf = (date: string): number => Number(date.replaceAll('-', ''));

/** The date of an element as a number, or NaN where it is not written as the projector writes it. */
function dateAt(calendar: Buffer, start: number): number {
  for (let i = 0; i < DATE_PREFIX.length; i++) if (calendar[start + i] !== DATE_PREFIX[i]) return Number.NaN;
  let date = 0;
  for (let i = start + DATE_PREFIX.length; i < start + DATE_PREFIX.length + DATE_LENGTH; i++) {
    const digit = (calendar[i] ?? 0) - 0x30;
    if (digit >= 0 && digit <= 9) date = date * 10 + digit;
  }
  return date;
}

/** The same for a calendar that somebody else has written. */
function rewritten(calendar: Buffer, first: string, last: string): Buffer {
  const dates = JSON.parse(calendar.toString()) as Availability[];
  const wanted = dates.filter(({ date }) => date >= first && date <= last);
  return Buffer.from(JSON.stringify(wanted.toSorted((a, b) => (a.date < b.date ? -1 : 1))).slice(1, -1));
}

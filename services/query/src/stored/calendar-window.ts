import type { Availability } from '@vitrine/feed-index';
import { eachElement, skipValue } from './json-slices.ts';

/** The beginning of a calendar entry in the form that the projector writes. */
const DATE_PREFIX = Buffer.from('{"date":"');
const DATE_LENGTH = 'YYYY-MM-DD'.length;

/**
 * Returns the entries of a calendar from `first` to `last`, as the elements of a JSON array without brackets.
 * The entries normally have ascending dates, so the result is a slice of the bytes. If the entries have
 * another order or form, the function serializes them again.
 * @param first YYYY-MM-DD
 * @param last YYYY-MM-DD, inclusive
 */
export function calendarWindow(calendar: Buffer, first: string, last: string): Buffer {
  const [from, to] = [numberOf(first), numberOf(last)];
  const [begin, final] = [dateAt(calendar, 1), dateAt(calendar, calendar.lastIndexOf(DATE_PREFIX))];
  // In the most common case, the window covers the whole calendar.
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

/** Returns all entries of a calendar, ascending, as the elements of a JSON array without brackets. */
export function wholeCalendar(calendar: Buffer): Buffer {
  const [begin, final] = [dateAt(calendar, 1), dateAt(calendar, calendar.lastIndexOf(DATE_PREFIX))];
  return begin <= final ? calendar.subarray(1, -1) : rewritten(calendar, '0000-01-01', '9999-12-31');
}

/**
 * Returns the last date of a calendar as YYYY-MM-DD, or undefined if the calendar has no entries.
 * @param calendar a JSON array, or no bytes
 */
export function lastDateOf(calendar: Buffer): string | undefined {
  const last = calendar.lastIndexOf(DATE_PREFIX);
  if (last !== -1 && dateAt(calendar, 1) <= dateAt(calendar, last)) {
    const start = last + DATE_PREFIX.length;
    return calendar.toString('latin1', start, start + DATE_LENGTH);
  }
  const dates = calendar.length === 0 ? [] : (JSON.parse(calendar.toString()) as Availability[]);
  return dates.reduce<string | undefined>(
    (latest, { date }) => (latest !== undefined && latest > date ? latest : date),
    undefined,
  );
}

const numberOf = (date: string): number => Number(date.replaceAll('-', ''));

/** Returns the date of an element as a number, or NaN if the element does not have the projector's form. */
function dateAt(calendar: Buffer, start: number): number {
  for (let i = 0; i < DATE_PREFIX.length; i++) if (calendar[start + i] !== DATE_PREFIX[i]) return Number.NaN;
  let date = 0;
  for (let i = start + DATE_PREFIX.length; i < start + DATE_PREFIX.length + DATE_LENGTH; i++) {
    const digit = (calendar[i] ?? 0) - 0x30;
    if (digit >= 0 && digit <= 9) date = date * 10 + digit;
  }
  return date;
}

/** Serializes the window of a calendar that does not have the projector's order or form. */
function rewritten(calendar: Buffer, first: string, last: string): Buffer {
  const dates = JSON.parse(calendar.toString()) as Availability[];
  const wanted = dates.filter(({ date }) => date >= first && date <= last);
  return Buffer.from(JSON.stringify(wanted.toSorted((a, b) => (a.date < b.date ? -1 : 1))).slice(1, -1));
}

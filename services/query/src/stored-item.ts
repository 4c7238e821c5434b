import type { Availability, ItemDocument } from '@vitrine/feed-index';
import { eachElement, eachMember, type Slice } from './json-slices.ts';

/** What of an item document is served, as the bytes of JSON that the index holds. */
export interface StoredItem {
  feedItem: Buffer;
  calendar: Buffer;
}

type Served = keyof Pick<ItemDocument, 'feed_item' | 'calendar'>;
const [FEED_ITEM, CALENDAR]: [Served, Served] = ['feed_item', 'calendar'];

/** The parts of the item document that stands at `source` of a JSON text. */
export function storedItem(json: Buffer, source: Slice): StoredItem {
  const parts = new Map<string, Buffer>();
  eachMember(json, source.start, (name, { start, end }) => {
    if (name === FEED_ITEM || name === CALENDAR) parts.set(name, json.subarray(start, end));
  });
  const [feedItem, calendar] = [parts.get(FEED_ITEM), parts.get(CALENDAR)];
  if (!feedItem || !calendar) throw new Error('an item document without feed_item and calendar');
  return { feedItem, calendar };
}

/** How the projector writes a date of the calendar. */
const DATE_PREFIX = Buffer.from('{"date":"');
const DATE_LENGTH = 'YYYY-MM-DD'.length;

/**
 * The dates from `first` to `last` of a calendar, as the elements of an array without its brackets.
 * Since a calendar is ascending, that is one piece of it.
 */
export function calendarWindow(calendar: Buffer, first: string, last: string): Buffer {
  const [from, to] = [first, last].map((date) => Number(date.replaceAll('-', '')));
  let [start, end, before] = [-1, -1, 0];
  let isAsWritten = true;
  eachElement(calendar, 0, (element) => {
    const date = dateAt(calendar, element.start);
    isAsWritten &&= date > before;
    before = date;
    if (date < (from ?? 0) || date > (to ?? 0)) return;
    if (start === -1) start = element.start;
    end = element.end;
  });
  if (!isAsWritten) return rewritten(calendar, first, last);
  return start === -1 ? calendar.subarray(0, 0) : calendar.subarray(start, end);
}

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

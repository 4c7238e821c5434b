import { hash } from 'node:crypto';
import type { CalendarDate, FieldChanges, ListingEvent, Version } from '@vitrine/listing-events';
import type { Position } from './position.ts';

/** An accepted event between the two steps of a check. */
export interface StoredEvent {
  event: ListingEvent;
  position: Position;
  /** The hash is equal for events with the same content, whatever their ids, sources and times are. */
  contentHash: number;
}

type Head = [position: Position, version: Version, time: number | null, source: string | null];
type Content = [
  kind: ListingEvent['kind'],
  mode: 'merge' | 'replace' | null,
  fields: FieldChanges | null,
  dates: StoredDate[] | null,
];
type StoredDate = [date: string, available: boolean, price?: number];

/** Formats an event as one line. Events with equal content have the same text after the tab. Pure. */
export function encodeEvent(event: ListingEvent, position: Position): string {
  const head: Head = [position, event.version, event.time ?? null, event.source ?? null];
  const content: Content = [
    event.kind,
    'mode' in event ? event.mode : null,
    'fields' in event ? inOrder(event.fields) : null,
    'dates' in event && event.dates ? sorted(event.dates.map(storedDate)) : null,
  ];
  // JSON escapes tabs.
  return `${JSON.stringify(head)}\t${JSON.stringify(content)}`;
}

/** Reads a line that `encodeEvent` has formatted. Pure. */
export function decodeEvent(id: string, line: string): StoredEvent {
  const tab = line.indexOf('\t');
  const text = line.slice(tab + 1);
  const [position, version, time, source] = JSON.parse(line.slice(0, tab)) as Head;
  const [kind, mode, fields, dates] = JSON.parse(text) as Content;
  const event = {
    kind,
    id,
    version,
    ...(time !== null && { time }),
    ...(source !== null && { source }),
    ...(mode !== null && { mode }),
    ...(fields !== null && { fields }),
    ...(dates !== null && { dates: dates.map(calendarDate) }),
  } as ListingEvent;
  return { event, position, contentHash: hash('sha1', text, 'buffer').readUIntBE(0, 6) };
}

/** The decoder returns the fields in the order of the schema, but keeps the order of their members. */
function inOrder(fields: FieldChanges): FieldChanges {
  const { location, provider } = fields;
  if (!location && !provider) return fields;
  const { city, state, lat, lng } = location ?? {};
  const { name, slug } = provider ?? {};
  return {
    ...fields,
    ...(location && { location: { city, state, lat, lng } as typeof location }),
    ...(provider && { provider: { name, slug } as typeof provider }),
  };
}

const storedDate = ({ date, available, price }: CalendarDate): StoredDate =>
  typeof price === 'number' ? [date, available, price] : [date, available];

const calendarDate = ([date, available, price]: StoredDate): CalendarDate =>
  price === undefined ? { date, available } : { date, available, price };

/** Most calendars are sorted already. */
function sorted(dates: StoredDate[]): StoredDate[] {
  const isSorted = dates.every(([date], at) => at === 0 || date >= (dates[at - 1]?.[0] ?? ''));
  return isSorted ? dates : dates.sort(([a], [b]) => (a < b ? -1 : 1));
}

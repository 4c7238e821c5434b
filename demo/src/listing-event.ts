import type { CalendarDate, FieldChanges } from '@vitrine/listing-events';

interface About {
  version: number;
}

/** What an event says, by its type (docs/reference/rules.md#event-types). */
export type Piece =
  | { type: 'snapshot'; data: { listing: FieldChanges & { availability?: CalendarDate[] } } }
  | { type: 'changed'; data: { changes: FieldChanges } }
  | { type: 'availability_changed'; data: { mode: 'merge' | 'replace'; dates: CalendarDate[] } }
  | { type: 'removed'; data: { reason: string } };

/** A CloudEvent about a listing, in structured JSON. */
export interface DemoEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: `marketplace.listing.${Piece['type']}`;
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  data: About & Piece['data'];
}

/** Events come from several teams' services. */
const SOURCES: Record<Piece['type'], string> = {
  snapshot: '/demo/catalogue',
  changed: '/demo/offers',
  availability_changed: '/demo/calendars',
  removed: '/demo/catalogue',
};

/** The event with which `version` of a listing says this piece. */
export function listingEvent(listingId: string, version: number, time: Date, { type, data }: Piece): DemoEvent {
  return {
    specversion: '1.0',
    id: `${listingId}/${version}`,
    source: SOURCES[type],
    type: `marketplace.listing.${type}`,
    subject: listingId,
    time: time.toISOString(),
    datacontenttype: 'application/json',
    data: { version, ...data },
  };
}

import type { ListingEvent } from './listing-event.ts';
import { epochOf, numberOf, type Version } from './version.ts';

/** The part after `marketplace.listing.` in each event type that Vitrine accepts. */
export type EventType = ListingEvent['kind'];

/** A CloudEvent about a listing, as structured JSON (docs/reference/rules.md#events). */
export interface ComposedEvent<Type extends string = EventType, Data extends object = object> {
  specversion: '1.0';
  id: string;
  source: string;
  type: `marketplace.listing.${Type}`;
  subject: string;
  /** The time in the format of RFC 3339. */
  time: string;
  datacontenttype: 'application/json';
  data: { version: number; version_epoch?: number } & Data;
}

/** The parts from which an event about a listing is composed. */
export interface EventParts<Type extends string = EventType, Data extends object = object> {
  id: string;
  source: string;
  type: Type;
  listingId: string;
  time: string;
  version: Version;
  /** The members of `data` other than the version. */
  data: Data;
}

/** Composes a CloudEvent from these parts. Pure. */
export const composeEvent = <Type extends string, Data extends object>({
  id,
  source,
  type,
  listingId,
  time,
  version,
  data,
}: EventParts<Type, Data>): ComposedEvent<Type, Data> => ({
  specversion: '1.0',
  id,
  source,
  type: `marketplace.listing.${type}`,
  subject: listingId,
  time,
  datacontenttype: 'application/json',
  data: {
    version: numberOf(version),
    // Epoch 0 is the default of the event format.
    ...(epochOf(version) > 0 && { version_epoch: epochOf(version) }),
    ...data,
  },
});

/**
 * Returns the members of `data`, without the version, from which `decodeRecord` reads the same event. Pure.
 */
export function dataOf(event: ListingEvent): object {
  switch (event.kind) {
    case 'snapshot':
      return { listing: { ...event.fields, ...(event.dates && { availability: event.dates }) } };
    case 'changed':
      return { changes: event.fields };
    case 'availability_changed':
      return { mode: event.mode, dates: event.dates };
    case 'removed':
      return {};
    default:
      return event satisfies never;
  }
}

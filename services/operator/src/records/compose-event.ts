import { epochOf, numberOf, type Version } from '@vitrine/listing-events';

/** A CloudEvent about a listing, as structured JSON (docs/reference/rules.md#events). */
export interface ComposedEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: `marketplace.listing.${EventType}`;
  subject: string;
  /** RFC 3339. */
  time: string;
  datacontenttype: 'application/json';
  data: Record<string, unknown>;
}

export type EventType = 'snapshot' | 'availability_changed' | 'removed';

/** What an event says about a listing. */
export interface EventParts {
  /** The id of the event. */
  id: string;
  source: string;
  type: EventType;
  listingId: string;
  time: string;
  version: Version;
  /** The members of `data` beside the version. */
  data: object;
}

/** Composes an event that the command line publishes or compares. Pure. */
export const composeEvent = ({
  id,
  source,
  type,
  listingId,
  time,
  version,
  data,
}: EventParts): ComposedEvent => ({
  specversion: '1.0',
  id,
  source,
  type: `marketplace.listing.${type}`,
  subject: listingId,
  time,
  datacontenttype: 'application/json',
  data: {
    version: numberOf(version),
    ...(epochOf(version) > 0 && { version_epoch: epochOf(version) }),
    ...data,
  },
});

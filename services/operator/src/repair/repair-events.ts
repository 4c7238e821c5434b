import { randomUUID } from 'node:crypto';
import { highestVersion, type ListingState } from '@vitrine/listing';
import {
  type CalendarDate,
  composeEvent,
  type EventType,
  epochOf,
  type FieldName,
  MAX_RECORD_BYTES,
  MAX_VERSION_EPOCH,
  type Version,
  versionOf,
} from '@vitrine/listing-events';

/** The events that move a listing to its next epoch, and what they contain. */
export interface Repair {
  id: string;
  /** `removed` if the listing has no content above its removal. */
  kind: 'snapshot' | 'removed';
  /** The highest version of the listing before the repair. */
  previous: Version;
  /** The epoch of the events. Their version is 1. */
  epoch: number;
  /** The numbers of fields with a value and of calendar dates. */
  fields: number;
  dates: number;
  /** The values of the events, as JSON, in the order in which they are published. */
  events: string[];
}

/** A listing that `repair` refuses. */
export class RepairError extends Error {
  override readonly name = 'RepairError';
}

const SOURCE = '/vitrine/repair';
export const VERSION = 1;
/** The maximum number of dates in an event (asyncapi.yaml). */
const MAX_EVENT_DATES = 1_096;

/**
 * Composes the events that publish a listing's current content with the next epoch and version 1. A long
 * calendar follows the snapshot in events of its own, with the same version.
 * @param state the listing in the live generation
 * @param now the time of the events
 * @throws RepairError if there is no next epoch, or if the content does not fit into an event
 */
export function repairEvents(id: string, state: ListingState, now: Date): Repair {
  const previous = highestVersion(state) ?? 0;
  const epoch = epochOf(previous) + 1;
  if (epoch > MAX_VERSION_EPOCH)
    throw new RepairError(
      `listing ${id} has an event of epoch ${epochOf(previous)}, which is the last one. No event can follow it`,
    );
  const listing = contentOf(state);
  const dates = visibleDates(state);
  const event = (type: EventType, data: object) =>
    JSON.stringify(
      composeEvent({
        id: `repair-${randomUUID()}`,
        source: SOURCE,
        type,
        listingId: id,
        time: now.toISOString(),
        version: versionOf(epoch, VERSION),
        data,
      }),
    );
  const head = { id, previous, epoch, fields: Object.keys(listing).length, dates: dates.length };
  const hasNothing = Object.keys(state.fields).length === 0 && dates.length === 0;
  if (hasNothing && state.removed !== 0)
    return { ...head, kind: 'removed', events: [event('removed', { reason: 'repair' })] };
  const whole = event('snapshot', { listing: { ...listing, availability: dates } });
  if (dates.length <= MAX_EVENT_DATES && bytesOf(whole) <= MAX_RECORD_BYTES)
    return { ...head, kind: 'snapshot', events: [whole] };
  const events = [event('snapshot', { listing })];
  for (let first = 0; first < dates.length; first += MAX_EVENT_DATES)
    events.push(
      event('availability_changed', {
        mode: first === 0 ? 'replace' : 'merge',
        dates: dates.slice(first, first + MAX_EVENT_DATES),
      }),
    );
  const largest = Math.max(...events.map(bytesOf));
  if (largest > MAX_RECORD_BYTES)
    throw new RepairError(
      `the content of listing ${id} needs an event of ${largest} bytes, but an event has at most ` +
        `${MAX_RECORD_BYTES}. Its source can send a shorter listing with the epoch ${epoch}`,
    );
  return { ...head, kind: 'snapshot', events };
}

/** The fields with a value. A snapshot clears all others. */
const contentOf = ({ fields }: ListingState): Partial<Record<FieldName, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, [, value]]) => (value === null ? [] : [[name, value]])),
  );

const visibleDates = ({ dates }: ListingState): CalendarDate[] =>
  Object.keys(dates)
    .sort()
    .flatMap((date) => {
      const entry = dates[date];
      if (!entry) return [];
      const [, available, price] = entry;
      return [{ date, available, ...(price !== undefined && { price }) }];
    });

const bytesOf = (json: string): number => Buffer.byteLength(json);

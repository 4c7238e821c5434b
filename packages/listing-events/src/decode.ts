import { type RawRecord, type RecordOrEvent, readEnvelope, text } from './cloud-event.ts';
import { parseInstant } from './instant.ts';
import { type CalendarDate, FIELD_NAMES, type FieldChanges, type ListingEvent } from './listing-event.ts';
import { checkEnvelope, type Envelope, isListingId } from './listing-event-schema.ts';
import { MAX_DETAIL, type Refusal, Refused } from './refusal.ts';
import { MAX_VERSION_EPOCH, numberOf, versionOf } from './version.ts';

export type Decoded =
  /** `traceparent` is the record's W3C trace context. It is absent if the record has none. */
  | { outcome: 'event'; event: ListingEvent; traceparent?: string }
  | { outcome: 'skipped'; type: string }
  | { outcome: 'refused'; reason: Refusal; detail: string };

/**
 * Decodes one record. The result is an event, `skipped` for a well-formed event of an unknown type, or the
 * reason for a dead letter. Accepts structured and binary CloudEvents and tombstones. Never throws.
 * @param maxVersion the highest accepted number of a version, in every epoch
 */
export function decodeRecord(record: RecordOrEvent, maxVersion = Number.MAX_SAFE_INTEGER): Decoded {
  try {
    if (record.value === null)
      return { outcome: 'event', event: bounded(decodeTombstone(record), maxVersion) };
    const envelope = checkEnvelope(readEnvelope(record.value, record.headers ?? {}));
    const { key } = record;
    if (key !== undefined && (key === null || text(key, 'key') !== envelope.subject))
      throw new Refused(
        'key-mismatch',
        `the record's key differs from the subject of its event, ${JSON.stringify(envelope.subject)}`,
      );
    const event = toEvent(envelope);
    if (!event) return { outcome: 'skipped', type: envelope.type };
    bounded(event, maxVersion);
    const traceparent = traceparentOf(envelope, record.headers);
    return traceparent === undefined ? { outcome: 'event', event } : { outcome: 'event', event, traceparent };
  } catch (error) {
    if (error instanceof Refused) return { outcome: 'refused', reason: error.reason, detail: error.message };
    // A bad record must never stop the processing of other records.
    return { outcome: 'refused', reason: 'unprocessable', detail: String(error).slice(0, MAX_DETAIL) };
  }
}

/** @throws Refused */
function bounded(event: ListingEvent, maxVersion: number): ListingEvent {
  const version = numberOf(event.version);
  if (version > maxVersion)
    throw new Refused(
      'version-too-high',
      `the version ${version} is above ${maxVersion}, which is the highest that MAX_VERSION allows`,
    );
  return event;
}

function decodeTombstone({ key, headers = {} }: RecordOrEvent): ListingEvent {
  const version = integerHeader(headers.version, 'version', Number.MAX_SAFE_INTEGER);
  if (!version)
    throw new Refused(
      'tombstone-without-version',
      'a record with a null value must have one `version` header: an integer from 1 to 2^53-1',
    );
  const name = 'version-epoch';
  const epoch = headers[name] === undefined ? 0 : integerHeader(headers[name], name, MAX_VERSION_EPOCH);
  if (epoch === undefined)
    throw new Refused(
      'tombstone-without-version',
      'the `version-epoch` header of a record with a null value must be one integer from 0 to 1,000,000',
    );
  const id = key ? text(key, 'key') : undefined;
  if (!isListingId(id))
    throw new Refused('schema', 'the key of a record with a null value must be a listing id');
  return { kind: 'removed', id, version: versionOf(epoch, version) };
}

/**
 * Returns the only value of a header if it is an integer from 0 to `maximum`, otherwise undefined.
 * @throws Refused
 */
function integerHeader(
  header: NonNullable<RawRecord['headers']>[string],
  name: string,
  maximum: number,
): number | undefined {
  const digits = !header || Array.isArray(header) ? undefined : text(header, `${name} header`);
  const integer = digits !== undefined && /^[0-9]{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
  return Number.isSafeInteger(integer) && integer <= maximum ? integer : undefined;
}

const CLEARED: FieldChanges = Object.fromEntries(FIELD_NAMES.map((name) => [name, null]));

/** The schema has already validated the types that this code asserts. */
function toEvent({ source, type, subject, time, data }: Envelope): ListingEvent | undefined {
  const version = versionOf((data.version_epoch as number | undefined) ?? 0, data.version as number);
  const head = { id: subject, version, source, time: parseInstant(time) };
  switch (type) {
    case 'marketplace.listing.snapshot': {
      const listing = data.listing as FieldChanges & { availability?: CalendarDate[] };
      const snapshot = {
        ...head,
        kind: 'snapshot' as const,
        fields: { ...CLEARED, ...knownFields(listing) },
      };
      return listing.availability ? { ...snapshot, dates: listing.availability } : snapshot;
    }
    case 'marketplace.listing.changed':
      return { ...head, kind: 'changed', fields: knownFields(data.changes as FieldChanges) };
    case 'marketplace.listing.availability_changed':
      return {
        ...head,
        kind: 'availability_changed',
        mode: (data.mode as 'merge' | 'replace' | undefined) ?? 'merge',
        dates: data.dates as CalendarDate[],
      };
    case 'marketplace.listing.removed':
      return { ...head, kind: 'removed' };
    default:
      return undefined;
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Reads the trace context from the record's header, or from the event's attribute if there is no valid header
 * (CloudEvents, "Distributed Tracing").
 */
function traceparentOf({ traceparent }: Envelope, headers: RawRecord['headers']): string | undefined {
  const header = headers?.traceparent;
  return [header === undefined ? header : String(header), traceparent].find(
    (value): value is string => typeof value === 'string' && TRACEPARENT.test(value),
  );
}

const PARTS: { location: readonly string[]; provider: readonly string[] } = {
  location: ['city', 'state', 'lat', 'lng'],
  provider: ['name', 'slug'],
};

/** Drops unknown members, so a state contains only members that the contract defines. */
function knownFields(listing: FieldChanges): FieldChanges {
  const known: Record<string, unknown> = {};
  for (const name of FIELD_NAMES) {
    if (!Object.hasOwn(listing, name)) continue;
    const value = listing[name];
    known[name] =
      (name === 'location' || name === 'provider') && value
        ? pick(value as object, PARTS[name])
        : positiveZero(value);
  }
  return known;
}

function pick(value: object, members: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => members.includes(name))
      .map(([name, member]) => [name, positiveZero(member)]),
  );
}

/** `JSON.stringify` writes -0 as 0, so a stored 0 would differ from the -0 of each repeated event. */
const positiveZero = (value: unknown): unknown => (value === 0 ? 0 : value);

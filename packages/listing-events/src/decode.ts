import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { isInstant, parseInstant } from './instant.ts';
import schema from './listing-event.schema.json' with { type: 'json' };
import { type CalendarDate, FIELD_NAMES, type FieldChanges, type ListingEvent } from './listing-event.ts';
import { nestingDepth } from './nesting.ts';

export const MAX_RECORD_BYTES = 1024 * 1024;
export const MAX_NESTING = 32;
const MAX_DETAIL = 500;

/** A Kafka record, independent of the client library. A repeated header is an array of its values. */
export interface RawRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers?: Record<string, Buffer | string | (Buffer | string)[] | null | undefined>;
}

/** The reasons why a record becomes a dead letter. Operators filter dead letters by reason. */
export const REFUSALS = [
  'too-large',
  'too-deep',
  'not-utf8',
  'not-json',
  'not-an-object',
  'schema',
  'key-mismatch',
  'unprocessable',
  'tombstone-without-version',
] as const;
export type Refusal = (typeof REFUSALS)[number];

export type Decoded =
  /** `traceparent`: the W3C trace context of the record. Absent if the record has none. */
  | { outcome: 'event'; event: ListingEvent; traceparent?: string }
  | { outcome: 'skipped'; type: string }
  | { outcome: 'refused'; reason: Refusal; detail: string };

class Refused extends Error {
  readonly reason: Refusal;
  constructor(reason: Refusal, detail: string) {
    super(detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL)}…` : detail);
    this.reason = reason;
  }
}

interface Format {
  validate: (text: string) => boolean;
}
const { validate: isDateTime } = fullFormats['date-time'] as Format;
const { validate: isDate } = fullFormats.date as Format;
/**
 * Caches valid dates, because calendars repeat the same dates and most validation time went into date checks.
 */
const knownDays = new Set<string>();
const MAX_KNOWN_DAYS = 10_000;

function isKnownDate(text: string): boolean {
  if (knownDays.has(text)) return true;
  if (!isDate(text)) return false;
  if (knownDays.size < MAX_KNOWN_DAYS) knownDays.add(text);
  return true;
}

const ajv = new Ajv2020({
  allErrors: false,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
});
ajvFormats.default(ajv);
// With some time zones, ajv's own `date-time` format accepts hour 24, which RFC 3339 forbids.
ajv.addFormat('date', isKnownDate);
ajv.addFormat('date-time', (text: string) => isDateTime(text) && isInstant(text));
const validate = ajv.compile<Envelope>(schema);
const isListingId = ajv.compile<string>({ $ref: 'listing-event.schema.json#/$defs/listingId' });

interface Envelope {
  traceparent?: unknown;
  type: string;
  subject: string;
  time: string;
  data: Record<string, unknown>;
}

/**
 * The decoder is strict. It keeps a byte-order mark, which is not JSON (RFC 8259 §8.1), and rejects invalid
 * bytes.
 */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes one record. The result is an event, `skipped` for a well-formed event of an unknown type, or the
 * reason for a dead letter. Accepts structured and binary CloudEvents and tombstones. Never throws.
 */
export function decodeRecord(record: RawRecord): Decoded {
  try {
    if (record.value === null) return { outcome: 'event', event: decodeTombstone(record) };
    const envelope = checkEnvelope(readEnvelope(record.value, record.headers ?? {}));
    if (record.key === null || text(record.key, 'key') !== envelope.subject)
      throw new Refused(
        'key-mismatch',
        `the record's key differs from the subject of its event, ${JSON.stringify(envelope.subject)}`,
      );
    const event = toEvent(envelope);
    if (!event) return { outcome: 'skipped', type: envelope.type };
    const traceparent = traceparentOf(envelope, record.headers);
    return traceparent === undefined ? { outcome: 'event', event } : { outcome: 'event', event, traceparent };
  } catch (error) {
    if (error instanceof Refused) return { outcome: 'refused', reason: error.reason, detail: error.message };
    // A bad record must never stop the processing of other records.
    return { outcome: 'refused', reason: 'unprocessable', detail: String(error).slice(0, MAX_DETAIL) };
  }
}

function decodeTombstone({ key, headers = {} }: RawRecord): ListingEvent {
  const header = headers.version;
  const version = !header || Array.isArray(header) ? undefined : text(header, 'version header');
  if (
    version === undefined ||
    !/^[0-9]{1,16}$/.test(version) ||
    !Number.isSafeInteger(Number(version)) ||
    Number(version) < 1
  )
    throw new Refused(
      'tombstone-without-version',
      'a record with a null value must have one `version` header: an integer from 1 to 2^53-1',
    );
  const id = key === null ? undefined : text(key, 'key');
  if (!isListingId(id))
    throw new Refused('schema', 'the key of a record with a null value must be a listing id');
  return { kind: 'removed', id, version: Number(version) };
}

function readEnvelope(value: Buffer, headers: NonNullable<RawRecord['headers']>): unknown {
  if (value.length > MAX_RECORD_BYTES)
    throw new Refused('too-large', `the value has ${value.length} bytes; the limit is ${MAX_RECORD_BYTES}`);
  if (nestingDepth(value) > MAX_NESTING)
    throw new Refused('too-deep', `the value is nested deeper than ${MAX_NESTING} levels`);
  let parsed: unknown;
  try {
    parsed = parseJson(text(value, 'value'));
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused('not-json', error instanceof Error ? error.message : 'the value is not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Refused('not-an-object', 'the value is JSON but not an object');
  return isBinaryMode(headers) ? { ...binaryAttributes(headers), data: parsed } : parsed;
}

/** In valid UTF-8, a lone surrogate can occur only as an escape. This function replaces it with U+FFFD. */
function parseJson(json: string): unknown {
  if (!/\\ud[89a-f]/i.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_, member: unknown) =>
    typeof member === 'string' ? member.toWellFormed() : member,
  );
}

/** CloudEvents Kafka binding §3: the content type decides, and `ce_specversion` marks binary mode. */
function isBinaryMode(headers: NonNullable<RawRecord['headers']>): boolean {
  const contentType = headers['content-type'];
  const structured = contentType && /^application\/cloudevents/i.test(String(contentType));
  return !structured && headers.ce_specversion !== undefined;
}

function binaryAttributes(headers: NonNullable<RawRecord['headers']>): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const attribute =
      name === 'content-type' ? 'datacontenttype' : name.startsWith('ce_') ? name.slice(3) : undefined;
    if (!attribute || value === undefined || value === null) continue;
    if (Array.isArray(value)) throw new Refused('schema', `the record has more than one ${name} header`);
    const decoded = text(value, `${name} header`);
    attributes[attribute] =
      attribute === 'datacontenttype' ? (decoded.split(';')[0] ?? '').trim().toLowerCase() : decoded;
  }
  return attributes;
}

function checkEnvelope(envelope: unknown): Envelope {
  if (validate(envelope)) return envelope;
  throw new Refused('schema', describe(validate.errors));
}

function describe(errors: ErrorObject[] | null | undefined): string {
  const { instancePath, message, params } = errors?.find((error) => error.keyword !== 'if') ?? {
    instancePath: '',
    message: 'invalid',
    params: {},
  };
  return (
    `${instancePath || 'the event'} ` +
    `${message}${Object.keys(params).length ? ` ${JSON.stringify(params)}` : ''}`
  );
}

function text(bytes: Buffer | string, where: string): string {
  if (typeof bytes === 'string') return bytes;
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refused('not-utf8', `the ${where} is not UTF-8`);
  }
}

const CLEARED: FieldChanges = Object.fromEntries(FIELD_NAMES.map((name) => [name, null]));

/** The schema has already validated the types that this code asserts. */
function toEvent({ type, subject, time, data }: Envelope): ListingEvent | undefined {
  const head = { id: subject, version: data.version as number, time: parseInstant(time) };
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
 * Reads the record's header, otherwise the event's attribute (CloudEvents, "Distributed Tracing" extension).
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

/** Drops unknown members, so a state contains only members of the contract. */
function knownFields(listing: FieldChanges): FieldChanges {
  const known: Record<string, unknown> = {};
  for (const name of FIELD_NAMES) {
    if (!Object.hasOwn(listing, name)) continue;
    const value = listing[name];
    known[name] =
      (name === 'location' || name === 'provider') && value ? pick(value as object, PARTS[name]) : value;
  }
  return known;
}

function pick(value: object, members: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => members.includes(name)));
}

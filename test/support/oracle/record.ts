import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
// The oracle shares no code with the product, but the schema is data.
import schema from '../../../packages/listing-events/src/listing-event.schema.json' with { type: 'json' };

/** A record of the events topic. */
export interface LogRecord {
  key: string | Buffer | null;
  value: string | Buffer | null;
  headers?: Record<string, Buffer | string | (Buffer | string)[] | undefined>;
}

export interface CalendarEntry {
  date: string;
  available: boolean;
  price?: number | null;
}

/** An accepted event. A tombstone has no time. */
export interface OracleEvent {
  id: string;
  /** The position of the event in the order of epochs and versions. */
  rank: bigint;
  time?: number;
  removed?: boolean;
  /** Values of the fields that the event sets. `null` clears a field. */
  fields: Record<string, unknown>;
  dates: CalendarEntry[];
  /** Whether the dates replace the calendar. */
  replaces: boolean;
}

export const FIELDS = Object.keys(schema.$defs.listingFields.properties);

const ajv = new Ajv2020({ strict: false });
ajvFormats.default(ajv);
ajv.addFormat(
  'date-time',
  (value: string) =>
    (fullFormats['date-time'] as { validate: (v: string) => boolean }).validate(value) &&
    instant(value) > -Infinity,
);
const { listingFields } = schema.$defs;
const AD_TYPE = { enum: ['sale', 'rent', 'service', null] };
const fields = { ...listingFields, properties: { ...listingFields.properties, ad_type: AD_TYPE } };
const isEvent = ajv.compile({ ...schema, $defs: { ...schema.$defs, listingFields: fields } });
const isListingId = ajv.compile(schema.$defs.listingId);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The outcome of a record: an event, an event of an unknown type, or a dead letter. */
export function readRecord({ key, value, headers = {} }: LogRecord): OracleEvent | 'skipped' | 'dead letter' {
  try {
    const id = key === null ? undefined : decoded(key);
    if (value === null) return tombstone(id, headers);
    const bytes = Buffer.from(value);
    if (bytes.length > 1024 * 1024) return 'dead letter';
    const parsed: unknown = JSON.parse(decoded(bytes), (_, member: unknown) =>
      typeof member === 'string' ? member.toWellFormed() : member,
    );
    if (depth(parsed) > 32 || typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      return 'dead letter';
    const event = inBinaryMode(headers) ? { ...attributes(headers), data: parsed } : parsed;
    if (!isEvent(event) || (event as unknown as Envelope).subject !== id) return 'dead letter';
    return toEvent(event as unknown as Envelope);
  } catch {
    return 'dead letter';
  }
}

interface Envelope {
  type: string;
  subject: string;
  time: string;
  data: Record<string, unknown> & { version: number; version_epoch?: number };
}

function toEvent({ type, subject: id, time, data }: Envelope): OracleEvent | 'skipped' {
  // An event of an unknown type may have no version.
  const rank = rankOf(data.version_epoch ?? 0, data.version ?? 0);
  const event = { id, rank, time: instant(time), fields: {}, dates: [], replaces: false };
  switch (type.replace('marketplace.listing.', '')) {
    case 'snapshot': {
      const listing = data.listing as Record<string, unknown> & { availability?: CalendarEntry[] };
      const fields = Object.fromEntries(FIELDS.map((name) => [name, listing[name] ?? null]));
      return {
        ...event,
        fields,
        dates: listing.availability ?? [],
        replaces: listing.availability !== undefined,
      };
    }
    case 'changed':
      return {
        ...event,
        fields: Object.fromEntries(
          Object.entries(data.changes as object).filter(([name]) => FIELDS.includes(name)),
        ),
      };
    case 'availability_changed':
      return { ...event, dates: data.dates as CalendarEntry[], replaces: data.mode === 'replace' };
    case 'removed':
      return { ...event, removed: true };
    default:
      return 'skipped';
  }
}

function tombstone(
  id: string | undefined,
  { version, 'version-epoch': epoch = '0' }: NonNullable<LogRecord['headers']>,
): OracleEvent | 'dead letter' {
  if (version === undefined || Array.isArray(version) || Array.isArray(epoch) || !isListingId(id))
    return 'dead letter';
  const digits = decoded(version);
  const number = /^\d{1,16}$/.test(digits) ? Number(digits) : 0;
  if (number < 1 || number > Number.MAX_SAFE_INTEGER) return 'dead letter';
  if (!/^\d{1,16}$/.test(decoded(epoch)) || Number(decoded(epoch)) > 1_000_000) return 'dead letter';
  const rank = rankOf(Number(decoded(epoch)), number);
  return { id: id as string, rank, removed: true, fields: {}, dates: [], replaces: false };
}

/** No version reaches 2^53, so each epoch has its own numbers above those of the previous epoch. */
const rankOf = (epoch: number, version: number): bigint => (BigInt(epoch) << 53n) + BigInt(version);

const decoded = (bytes: string | Buffer): string => (typeof bytes === 'string' ? bytes : utf8.decode(bytes));

/** The nesting depth of arrays and objects. The walk ends below the limit of 32. */
function depth(value: unknown, above = 0): number {
  if (typeof value !== 'object' || value === null || above > 32) return above;
  return Math.max(above + 1, ...Object.values(value).map((member) => depth(member, above + 1)));
}

const inBinaryMode = (headers: NonNullable<LogRecord['headers']>): boolean =>
  headers.ce_specversion !== undefined &&
  !String(headers['content-type'] ?? '')
    .toLowerCase()
    .startsWith('application/cloudevents');

function attributes(headers: NonNullable<LogRecord['headers']>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || (!name.startsWith('ce_') && name !== 'content-type')) continue;
    if (Array.isArray(value)) throw new Error('a repeated attribute');
    if (name === 'content-type')
      found.datacontenttype = (decoded(value).split(';')[0] ?? '').trim().toLowerCase();
    else found[name.slice(3)] = decoded(value);
  }
  return found;
}

/**
 * The time in epoch milliseconds. A leap second is the first instant of the next minute.
 * @throws RangeError for other text, and for times outside of the years 1 to 9999 in UTC
 */
export function instant(time: string): number {
  const leap = /:60/.test(time);
  const at = Date.parse(
    time
      .toUpperCase()
      .replace(/:60(\.\d+)?/, ':59')
      .replace(/(\.\d{3})\d+/, '$1'),
  );
  const exact = leap ? at + 1_000 : at;
  const year = new Date(exact).getUTCFullYear();
  // For other text, the year is NaN, and every comparison with NaN is false.
  if (!(year >= 1 && year <= 9999)) throw new RangeError(time);
  return exact;
}

import { Refused } from './refusal.ts';

export const MAX_RECORD_BYTES = 1024 * 1024;
export const MAX_NESTING = 32;

/** The headers for a record with an event in structured mode (CloudEvents, Kafka binding §3.3). */
export const EVENT_HEADERS = { 'content-type': 'application/cloudevents+json; charset=UTF-8' };

/** A Kafka record, independent of the client library. The value of a repeated header is an array. */
export interface RawRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers?: Record<string, Buffer | string | (Buffer | string)[] | null | undefined>;
}

/**
 * A record, or an event that has no record yet. An event without a record has no key, and its subject counts
 * as its key.
 */
export interface RecordOrEvent extends Omit<RawRecord, 'key'> {
  key: Buffer | null | undefined;
}

/** This decoder rejects invalid bytes, and keeps a byte-order mark, which is not JSON (RFC 8259 §8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the CloudEvent from a record in structured or binary mode, without checking it against the schema.
 * @throws Refused
 */
export function readEnvelope(value: Buffer, headers: NonNullable<RawRecord['headers']>): unknown {
  if (value.length > MAX_RECORD_BYTES)
    throw new Refused('too-large', `the value has ${value.length} bytes; the limit is ${MAX_RECORD_BYTES}`);
  if (nestingDepth(value) > MAX_NESTING)
    throw new Refused('too-deep', `the value is nested deeper than ${MAX_NESTING} levels`);
  if (isConfluentFormat(value))
    throw new Refused(
      'not-json',
      `the value has the Confluent wire format of a schema registry (schema ${value.readUInt32BE(1)}). ` +
        'Publish the event as plain JSON, without the serializer of a schema registry',
    );
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

/**
 * The Confluent wire format begins with a zero byte and the schema's id in four bytes. JSON never begins with
 * a zero byte.
 */
const isConfluentFormat = (value: Buffer): boolean => value.length >= 5 && value[0] === 0;

/** In valid UTF-8, a lone surrogate can occur only as an escape. This function replaces it with U+FFFD. */
function parseJson(json: string): unknown {
  if (!/\\ud[89a-f]/i.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_, member: unknown) =>
    typeof member === 'string' ? member.toWellFormed() : member,
  );
}

/**
 * CloudEvents Kafka binding §3: the content type determines the mode. Without a matching content type,
 * `ce_specversion` marks binary mode.
 */
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

/** Decodes bytes as UTF-8. `where` is the name for the bytes in messages. @throws Refused */
export function text(bytes: Buffer | string, where: string): string {
  if (typeof bytes === 'string') return bytes;
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refused('not-utf8', `the ${where} is not UTF-8`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns the maximum nesting depth of `[` and `{` in JSON without parsing it. A hostile record therefore
 * costs one pass over its bytes and never becomes a deep object.
 */
function nestingDepth(json: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return deepest;
}

import type { ErrorObject } from 'ajv/dist/2020.js';
import { MAX_NESTING, MAX_RECORD_BYTES, type RecordOrEvent, readEnvelope, text } from './cloud-event.ts';
import { decodeRecord } from './decode.ts';
import { envelopeErrors, rangeFault } from './listing-event-schema.ts';
import { type Refusal, Refused } from './refusal.ts';
import { shortJson } from './short-json.ts';

/** One reason why a record becomes a dead letter. */
export interface RecordFault {
  reason: Refusal;
  /**
   * A JSON pointer into the event (RFC 6901). If a member is missing, the pointer names the parent. For a
   * fault in the whole record, the pointer is empty.
   */
  path: string;
  /**
   * The value at `path`: a number, a boolean, null or a short string. Objects and arrays are given as short
   * JSON.
   */
  value?: number | boolean | string | null;
  /** The violated bound: a number, or a string such as a type, a format or the name of a missing member. */
  limit?: number | string;
  /** The fault in words. A sentence about the fault contains the path, followed by this message. */
  message: string;
}

/**
 * A calendar of 1,096 dates with three faults each stays below this limit. A hostile record can have many
 * more faults.
 */
const MAX_FAULTS = 5_000;
/**
 * The schema allows no array with this many elements, so an array that was cut to this length is still too
 * long.
 */
const MAX_ELEMENTS = 1_200;
const SHORT_TEXT = 80;

/**
 * Finds every fault in a record that `decodeRecord` refuses. This function is slower than `decodeRecord`,
 * which stops at the first fault.
 * @param maxVersion as in `decodeRecord`
 * @returns at most 5,000 faults, in the order of the schema; empty if the record is not refused
 */
export function recordFaults(record: RecordOrEvent, maxVersion?: number): RecordFault[] {
  const decoded = decodeRecord(record, maxVersion);
  if (decoded.outcome !== 'refused') return [];
  const { reason, detail: message } = decoded;
  if (reason === 'version-too-high')
    return [{ reason, ...versionPlace(record), limit: maxVersion ?? 0, message }];
  if (record.value === null) return [{ ...tombstoneFault(record, reason), message }];
  try {
    const envelope = readEnvelope(record.value, record.headers ?? {});
    shortenArrays(envelope);
    const faults = [...schemaFaults(envelopeErrors(envelope)), ...keyFaults(record, envelope)];
    if (faults.length > 0) return faults;
  } catch (error) {
    if (error instanceof Refused && error.reason === reason)
      return [{ ...valueFault(record.value, reason), message }];
  }
  return [{ reason, path: '', message }];
}

/** The schema accepts the record, so its version is a number. */
function versionPlace({ value, headers = {} }: RecordOrEvent): Pick<RecordFault, 'path' | 'value'> {
  if (value === null) return { path: '', value: Number(headers.version) };
  const { data } = readEnvelope(value, headers) as { data: { version: number } };
  return { path: '/data/version', value: data.version };
}

function tombstoneFault({ headers, key }: RecordOrEvent, reason: Refusal): Omit<RecordFault, 'message'> {
  if (reason !== 'tombstone-without-version') return { reason, path: '', value: shortText(String(key)) };
  const { version } = headers ?? {};
  return { reason, path: '', ...(version && { value: shortText(String(version)) }) };
}

function valueFault(value: Buffer, reason: Refusal): Omit<RecordFault, 'message'> {
  if (reason === 'too-large') return { reason, path: '', value: value.length, limit: MAX_RECORD_BYTES };
  if (reason === 'too-deep') return { reason, path: '', limit: MAX_NESTING };
  return { reason, path: '', value: shortText(value.subarray(0, 4 * SHORT_TEXT).toString()) };
}

function keyFaults({ key }: RecordOrEvent, envelope: unknown): RecordFault[] {
  const { subject } = envelope as { subject?: unknown };
  const reason = 'key-mismatch';
  if (typeof subject !== 'string' || key === undefined) return [];
  const place = { reason, path: '/subject', value: shortText(subject) } as const;
  if (key === null) return [{ ...place, message: 'differs from the key of the record, which has none' }];
  const name = text(key, 'key');
  if (name === subject) return [];
  return [{ ...place, limit: shortText(name), message: 'differs from the key of the record' }];
}

/**
 * Shortens the arrays in a parsed event. Otherwise, the errors in a record whose array has 500,000 wrong
 * elements would need a gigabyte of memory.
 */
function shortenArrays(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value) && value.length > MAX_ELEMENTS) value.length = MAX_ELEMENTS;
  for (const member of Object.values(value)) shortenArrays(member);
}

/**
 * The keywords whose errors only report that a part of the schema does not match. That part reports its own
 * errors.
 */
const NOISE: readonly string[] = ['if', 'allOf', 'anyOf'];

function schemaFaults(errors: readonly ErrorObject[]): RecordFault[] {
  const faults: RecordFault[] = [];
  const places = Map.groupBy(errors.slice(0, MAX_FAULTS), ({ instancePath }) => instancePath);
  for (const [path, atPlace] of places) {
    const isChoice = atPlace.some(({ keyword }) => keyword === 'anyOf');
    const others = atPlace.filter(({ keyword }) => keyword !== 'type' && !NOISE.includes(keyword));
    const types = atPlace.filter(({ keyword }) => keyword === 'type');
    const value = shortValue(atPlace[0]?.data);
    for (const error of others) faults.push({ reason: 'schema', path, value, ...rule(error) });
    // The other branch of a choice is `null`, which says nothing about a number that is too large.
    if (types.length > 0 && !(isChoice && others.length > 0)) {
      const limit = [...new Set(types.flatMap(({ params }) => params.type as string | string[]))].join(
        ' or ',
      );
      faults.push({ reason: 'schema', path, value, limit, message: `must be ${limit}` });
    }
  }
  return faults;
}

/** The bound that an error names, and the error in words. */
function rule({ keyword, params, message = keyword, data }: ErrorObject): {
  limit: number | string;
  message: string;
} {
  switch (keyword) {
    case 'required':
      return { limit: params.missingProperty, message: `lacks the member ${params.missingProperty}` };
    case 'enum': {
      const limit = (params.allowedValues as unknown[]).map(String).join(', ');
      return { limit, message: `must be one of ${limit}` };
    }
    case 'const':
      return { limit: String(params.allowedValue), message: `must be ${params.allowedValue}` };
    case 'format': {
      const fault = rangeFault(data);
      return {
        limit: params.format,
        message: fault === undefined ? `must be a valid ${params.format}` : `is ${shortText(fault)}`,
      };
    }
    case 'pattern':
      return { limit: params.pattern, message: `must match ${params.pattern}` };
    default:
      return { limit: params.limit, message };
  }
}

function shortValue(value: unknown): number | boolean | string | null {
  if (typeof value === 'string') return shortText(value);
  return typeof value === 'object' && value !== null ? shortJson(value) : (value as number | boolean | null);
}

const shortText = (value: string): string =>
  value.length > SHORT_TEXT ? `${value.slice(0, SHORT_TEXT - 1).toWellFormed()}…` : value;

import { type FetchedRecord, type Message, recordTime } from '@vitrine/kafka';
import {
  composeEvent,
  dataOf,
  decodeRecord,
  EVENT_HEADERS,
  type ListingEvent,
  shortJson,
  type Version,
} from '@vitrine/listing-events';
import type { Mapping, MappingRecord } from './mapping.ts';

/** The reason for a dead letter if the mapping throws, or returns anything but events. */
export const MAPPING_FAILED = 'mapping-failed';

/** The decoded content of a record. */
export interface Content {
  key: unknown;
  value: unknown;
}

export type EventMessage = Message & { key: Buffer; value: Buffer };

/** What a record becomes: messages for the events topic, or a dead letter with this reason. */
export type MappedRecord = { messages: EventMessage[] } | { reason: string; detail: string };

const KINDS: ReadonlySet<string> = new Set<ListingEvent['kind']>([
  'snapshot',
  'changed',
  'availability_changed',
  'removed',
]);
/** A record with more events, or larger ones, would take too much memory at once. */
const MAX_EVENTS = 10_000;
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
const MAX_DETAIL = 500;
/** An event id has at most 200 characters, and the event's source contains the topic's full name. */
const MAX_TOPIC_IN_ID = 150;
const NO_TIME = '1970-01-01T00:00:00.000Z';

/**
 * Maps a record, and checks each event as the projector will. The same record always gives the same messages.
 * Never throws. Pure if the mapping is pure.
 * @param maxVersion the highest number that a version may have
 */
export function mapRecord(
  mapping: Mapping,
  record: FetchedRecord,
  content: Content,
  maxVersion: number | undefined,
): MappedRecord {
  const mapped = composeMessages(mapping, record, content);
  if ('reason' in mapped) return mapped;
  for (const [index, { key, value }] of mapped.messages.entries()) {
    const decoded = decodeRecord({ key, value }, maxVersion);
    if (decoded.outcome === 'refused')
      return { reason: decoded.reason, detail: `${ordinal(index, mapped.messages)}: ${decoded.detail}` };
  }
  return mapped;
}

/** Maps a record to the messages of its events. Does not check them against the contract. Never throws. */
export function composeMessages(
  mapping: Mapping,
  record: FetchedRecord,
  content: Content,
): { messages: EventMessage[] } | { reason: string; detail: string } {
  let events: unknown;
  try {
    events = withoutRejection(mapping.map(recordOf(record, content)));
  } catch (error) {
    return failed(`the mapping threw ${thrown(error)}`);
  }
  if (!Array.isArray(events))
    return failed(
      `the mapping returned ${events instanceof Promise ? 'a promise' : described(events)} instead of an array`,
    );
  if (events.length > MAX_EVENTS)
    return failed(`the mapping returned ${events.length} events; the limit is ${MAX_EVENTS}`);
  const messages: EventMessage[] = [];
  let bytes = 0;
  for (const [index, event] of events.entries())
    try {
      const message = messageOf(withoutRejection(event) as ListingEvent, record, index);
      bytes += message.value.length;
      if (bytes > MAX_EVENT_BYTES)
        return failed(`the mapping returned events of more than ${MAX_EVENT_BYTES} bytes`);
      messages.push(message);
    } catch (error) {
      return failed(`${ordinal(index, events)}, ${described(event)}, is not an event: ${thrown(error)}`);
    }
  return { messages };
}

const ordinal = (index: number, all: readonly unknown[]): string => `event ${index + 1} of ${all.length}`;

/** No code awaits a promise that a mapping returns, and its rejection must not end the process. */
function withoutRejection(value: unknown): unknown {
  if (value instanceof Promise) value.catch(() => undefined);
  return value;
}

/** Formats anything that a mapping may return, even what JSON cannot express, such as a bigint. */
function described(value: unknown): string {
  try {
    return shortJson(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

const thrown = (error: unknown): string => (error instanceof Error ? String(error) : described(error));

const failed = (detail: string) => ({
  reason: MAPPING_FAILED,
  detail: detail.slice(0, MAX_DETAIL).toWellFormed(),
});

function recordOf(record: FetchedRecord, { key, value }: Content): MappingRecord {
  const { topic, partition, offset, timestamp, headers = {} } = record;
  const texts: Record<string, string> = {};
  for (const [name, header] of Object.entries(headers)) {
    const last = [header].flat().at(-1);
    if (last !== undefined && last !== null) texts[name] = String(last);
  }
  return { topic, partition, offset: Number(offset), timestamp, key, value, headers: texts };
}

/** @throws Error if the event lacks a part, or has one that JSON cannot express */
function messageOf(event: ListingEvent, record: FetchedRecord, index: number): EventMessage {
  const { topic, partition, offset, timestamp, headers } = record;
  const { id, kind, version, source = `/ingest/${topic}`, time } = event;
  if (!KINDS.has(kind)) throw new TypeError(`the kind ${described(kind)} does not exist`);
  if ('fields' in event || kind === 'snapshot') assertObject((event as { fields?: unknown }).fields);
  assertEpoch(version);
  const composed = composeEvent({
    id: `${topic.slice(0, MAX_TOPIC_IN_ID)}/${partition}/${offset}/${index}`,
    source,
    type: kind,
    listingId: id,
    time: time === undefined ? (recordTime(timestamp) ?? NO_TIME) : new Date(time).toISOString(),
    version,
    data: dataOf(event),
  });
  const traceparent = [headers?.traceparent].flat().at(-1);
  return {
    key: Buffer.from(id),
    value: Buffer.from(jsonOf(composed)),
    headers: traceparent ? { ...EVENT_HEADERS, traceparent } : EVENT_HEADERS,
  };
}

/**
 * Anything but an object would become a listing without content, which clears every field.
 * @throws TypeError
 */
function assertObject(fields: unknown): void {
  const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
  if (!isObject || withoutRejection(fields) instanceof Promise)
    throw new TypeError(`the fields are ${described(fields)} instead of an object`);
}

/** An event leaves out epoch 0, and would also leave out a value that is not an epoch. @throws TypeError */
function assertEpoch(version: Version): void {
  if (Array.isArray(version) && !(version.length === 2 && version[0] >= 0))
    throw new TypeError(`the version ${described(version)} is not [epoch, version]`);
}

/** JSON writes NaN and the infinities as null, which would clear a field. @throws TypeError */
function jsonOf(event: object): string {
  const json = JSON.stringify(event);
  if (json.includes('null')) JSON.stringify(event, refuseNonFinite);
  return json;
}

function refuseNonFinite(name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${name} is ${value}`);
  return value;
}

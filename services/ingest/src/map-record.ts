import { type FetchedRecord, type Message, recordTime } from '@vitrine/kafka';
import {
  composeEvent,
  dataOf,
  decodeRecord,
  EVENT_HEADERS,
  type ListingEvent,
  shortJson,
} from '@vitrine/listing-events';
import type { Mapping, MappingRecord } from './mapping.ts';

/** The reason for a dead letter if the mapping throws, or returns anything but events. */
export const MAPPING_FAILED = 'mapping-failed';

/** The decoded content of a record. */
export interface Content {
  key: unknown;
  value: unknown;
}

/** What a record becomes: messages for the events topic, or a dead letter with this reason. */
export type MappedRecord = { messages: Message[] } | { reason: string; detail: string };

/** A record with more events would take too much memory at once. */
const MAX_EVENTS = 10_000;
const MAX_DETAIL = 500;
/** An event id has at most 200 characters, and the event's source contains the whole name. */
const MAX_TOPIC_IN_ID = 150;
const NO_TIME = '1970-01-01T00:00:00.000Z';

/**
 * Maps a record, and checks each event as the projector will. The same record always gives the same messages.
 * Never throws. Pure, if the mapping is.
 * @param maxVersion the highest accepted number of a version
 */
export function mapRecord(
  mapping: Mapping,
  record: FetchedRecord,
  content: Content,
  maxVersion: number | undefined,
): MappedRecord {
  let events: unknown;
  try {
    events = mapping.map(recordOf(record, content));
  } catch (error) {
    return failed(`the mapping threw ${String(error)}`);
  }
  if (!Array.isArray(events)) {
    const isPromise = typeof (events as { then?: unknown } | null)?.then === 'function';
    return failed(`the mapping returned ${isPromise ? 'a promise' : shortJson(events)} instead of an array`);
  }
  if (events.length > MAX_EVENTS)
    return failed(`the mapping returned ${events.length} events; the limit is ${MAX_EVENTS}`);
  const messages: Message[] = [];
  for (const [index, event] of events.entries()) {
    const mapped = checkedMessage(event as ListingEvent, record, index, maxVersion);
    if ('reason' in mapped)
      return { ...mapped, detail: `event ${index + 1} of ${events.length}: ${mapped.detail}` };
    messages.push(mapped);
  }
  return { messages };
}

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

/** Composes an event, and decodes it again as the projector will. */
function checkedMessage(
  event: ListingEvent,
  record: FetchedRecord,
  index: number,
  maxVersion: number | undefined,
): Message | { reason: string; detail: string } {
  let message: Message & { key: Buffer; value: Buffer };
  try {
    message = messageOf(event, record, index);
  } catch (error) {
    return failed(`${shortJson(event)} is not an event: ${String(error)}`);
  }
  const decoded = decodeRecord({ key: message.key, value: message.value }, maxVersion);
  if (decoded.outcome === 'event') return message;
  return decoded.outcome === 'refused'
    ? { reason: decoded.reason, detail: decoded.detail }
    : failed(`the kind ${shortJson(event.kind)} does not exist`);
}

/** @throws TypeError or RangeError if the event lacks a part, or has one that JSON cannot express */
function messageOf(event: ListingEvent, record: FetchedRecord, index: number) {
  const { topic, partition, offset, timestamp, headers } = record;
  const { id, kind, version, source = `/ingest/${topic}`, time } = event;
  const composed = composeEvent({
    id: `${topic.slice(0, MAX_TOPIC_IN_ID)}/${partition}/${offset}/${index}`,
    source,
    type: kind,
    listingId: id,
    time: time === undefined ? (recordTime(timestamp) ?? NO_TIME) : new Date(time).toISOString(),
    version,
    data: dataOf(event) ?? {},
  });
  const traceparent = [headers?.traceparent].flat().at(-1);
  return {
    key: Buffer.from(id),
    value: Buffer.from(JSON.stringify(composed)),
    headers: traceparent ? { ...EVENT_HEADERS, traceparent } : EVENT_HEADERS,
  };
}

import { decodeRecord, type ListingEvent } from '@vitrine/listing-events';
import type { DeadLetter } from './dead-letter.ts';
import type { SourceRecord } from './source-record.ts';

/** Records of one chunk, sorted by what is to be done with them. */
export interface DecodedRecords {
  /** Listing id -> its events, in the order of the log. */
  events: Map<string, ListingEvent[]>;
  /** Listing id -> the records those came from, should the index refuse what they make. */
  sources: Map<string, SourceRecord[]>;
  /** Those events that say what trace they belong to. */
  traced: { record: SourceRecord; traceparent: string }[];
  deadLetters: DeadLetter[];
  /** How many events were of an unknown type. */
  skipped: number;
}

const nothing = (): DecodedRecords => ({ events: new Map(), sources: new Map(), traced: [], deadLetters: [], skipped: 0 });

/**
 * Records -> events by listing, dead letters, and what is skipped.
 * @param decoded what the records before these became; these are added to it
 */
export function decodeRecords(records: readonly SourceRecord[], decoded = nothing()): DecodedRecords {
  for (const record of records) {
    const result = decodeRecord(record);
    if (result.outcome === 'skipped') decoded.skipped++;
    else if (result.outcome === 'refused') decoded.deadLetters.push({ record, reason: result.reason, detail: result.detail });
    else {
      append(decoded.events, result.event.id, result.event);
      append(decoded.sources, result.event.id, record);
      if (result.traceparent !== undefined) decoded.traced.push({ record, traceparent: result.traceparent });
    }
  }
  return decoded;
}

function append<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

import type { SourceRecord } from '@vitrine/kafka';
import { decodeRecord, type ListingEvent, type VersionBound } from '@vitrine/listing-events';
import type { DeadLetter } from '../dead-letters/dead-letter.ts';

/** The records of one chunk, grouped by the action that each record needs. */
export interface DecodedRecords {
  /** Listing id -> its events, in the order of the log. */
  events: Map<string, ListingEvent[]>;
  /**
   * Listing id -> the source records of its events. If the index rejects the listing, these records become
   * dead letters.
   */
  sources: Map<string, SourceRecord[]>;
  traced: { record: SourceRecord; traceparent: string }[];
  deadLetters: DeadLetter[];
  skipped: number;
}

const nothing = (): DecodedRecords => ({
  events: new Map(),
  sources: new Map(),
  traced: [],
  deadLetters: [],
  skipped: 0,
});

/**
 * Decodes records into events, grouped by listing, and into dead letters. Counts skipped records.
 * @param decoded the result for the preceding records, to which this function adds
 * @param bound the highest version that a record may have, depending on the record's timestamp
 */
export function decodeRecords(
  records: Iterable<SourceRecord & { timestamp?: number }>,
  decoded = nothing(),
  bound?: VersionBound,
): DecodedRecords {
  for (const record of records) {
    const result = decodeRecord(record, bound?.(record.timestamp));
    if (result.outcome === 'skipped') decoded.skipped++;
    else if (result.outcome === 'refused')
      decoded.deadLetters.push({ record, reason: result.reason, detail: result.detail });
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

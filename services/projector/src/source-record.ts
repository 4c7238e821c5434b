import type { RawRecord } from '@vitrine/listing-events';

/** A record with its place in the log. */
export interface SourceRecord extends RawRecord {
  topic: string;
  partition: number;
  /** A 64-bit integer in decimal, as Kafka clients hand it over. */
  offset: string;
}

/** Approximate size of a record: key, value and headers. */
export function recordBytes({ key, value, headers }: RawRecord): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, header] of Object.entries(headers ?? {})) for (const part of [header].flat()) bytes += name.length + (part?.length ?? 0);
  return bytes;
}

/** The offset after this one: what is committed when the record is done. */
export const offsetAfter = (offset: string): string => (BigInt(offset) + 1n).toString();

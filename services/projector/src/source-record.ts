import type { RawRecord } from '@vitrine/listing-events';

/** A record with its place in the log. */
export interface SourceRecord extends RawRecord {
  topic: string;
  partition: number;
  /** A 64-bit integer in decimal, as Kafka clients hand it over. */
  offset: string;
}

/** Approximate size in memory: key and value. */
export const recordBytes = ({ key, value }: RawRecord): number => (key?.length ?? 0) + (value?.length ?? 0);

/** The offset after this one: what is committed when the record is done. */
export const offsetAfter = (offset: string): string => (BigInt(offset) + 1n).toString();

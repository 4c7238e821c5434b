/** The headers of a record by name. A repeated header is an array of its values. */
type RecordHeaders = Record<string, Buffer | string | (Buffer | string)[] | null | undefined>;

/** A record with its position in the log. */
export interface SourceRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers?: RecordHeaders;
  topic: string;
  /** The id of the topic, because the offset is valid only together with it. Absent if it is unknown. */
  topicId?: string;
  partition: number;
  /** A 64-bit integer as decimal text, as in Kafka clients. */
  offset: string;
}

/** Approximate size of a record in bytes: key, value and headers. */
export function recordBytes({
  key,
  value,
  headers,
}: Pick<SourceRecord, 'key' | 'value' | 'headers'>): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, header] of Object.entries(headers ?? {}))
    for (const part of [header].flat()) bytes += name.length + (part?.length ?? 0);
  return bytes;
}

/** Returns the offset after `offset`, which the consumer commits when the record at `offset` is finished. */
export const offsetAfter = (offset: string): string => (BigInt(offset) + 1n).toString();

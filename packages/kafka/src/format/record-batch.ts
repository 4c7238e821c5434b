import { ByteReader } from './byte-reader.ts';

/** The headers of a record by name. The value of a repeated header is an array. */
type RecordHeaders = Record<string, Buffer | string | (Buffer | string)[] | null | undefined>;

/** A record with its position in the log: topic, partition and offset. */
export interface SourceRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers?: RecordHeaders;
  topic: string;
  /**
   * The topic's id, because the offset is valid only together with it. The member is absent if the id is
   * unknown.
   */
  topicId?: string;
  partition: number;
  /** A 64-bit integer as a decimal string, as in Kafka's clients. */
  offset: string;
}

/** Returns the approximate size of a record in bytes: key, value and headers. */
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

/** A record batch as stored in the log. The header is decoded, but the records are not. */
export interface RecordBatch {
  /** The offsets of the first and the last record. Compaction may have removed records between them. */
  baseOffset: bigint;
  lastOffset: bigint;
  /** The version of the message format. It has been 2 since Kafka 0.11. */
  magic: number;
  /** The compression codec. 0 means that the batch is not compressed. `codecs.ts` lists the other values. */
  codec: number;
  /** Whether the batch holds a transaction marker and no records for consumers. */
  isControl: boolean;
  isTransactional: boolean;
  producerId: bigint;
  /** A time in epoch milliseconds. Each record stores the difference between its time and this timestamp. */
  baseTimestamp: number;
  /** A time in epoch milliseconds. If the broker sets the time, this timestamp applies to all records. */
  maxTimestamp: number;
  isLogAppendTime: boolean;
  count: number;
  bytes: Buffer;
}

/** A record with its timestamp in epoch milliseconds. */
export interface FetchedRecord extends SourceRecord {
  timestamp: number;
}

/** The last millisecond of the year 9999, because RFC 3339 allows no later year. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Returns a record's time in the format of RFC 3339. Kafka does not check a producer's timestamp, which may
 * be in nanoseconds.
 * @param timestamp in epoch milliseconds; -1 means that the record has none
 * @returns undefined if the timestamp is negative or after the year 9999
 */
export const recordTime = (timestamp: number): string | undefined =>
  timestamp >= 0 && timestamp <= LAST_TIME ? new Date(timestamp).toISOString() : undefined;

const OFFSET_AND_LENGTH_BYTES = 12;
const MAGIC_AT = 16;
export const MESSAGE_FORMAT = 2;
/** The size of the batch header in message format 2. The records follow the header. */
export const HEADER_BYTES = 61;
const CODEC_MASK = 0x07;
const LOG_APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

/**
 * Splits the record set of a fetch response into complete batches. Drops the last batch if it is incomplete.
 * Pure.
 * @throws Error if a length is impossible
 */
export function recordBatches(set: Buffer): RecordBatch[] {
  const batches: RecordBatch[] = [];
  for (let at = 0; at + MAGIC_AT < set.length; ) {
    const length = OFFSET_AND_LENGTH_BYTES + set.readInt32BE(at + 8);
    const magic = set.readInt8(at + MAGIC_AT);
    if (length < (magic < MESSAGE_FORMAT ? MAGIC_AT + 1 : HEADER_BYTES))
      throw new Error(`the length field of a record batch is invalid: ${length}`);
    if (at + length > set.length) break;
    batches.push(header(set.subarray(at, at + length), magic));
    at += length;
  }
  return batches;
}

/**
 *     Batch => base_offset:INT64 length:INT32 leader_epoch:INT32 magic:INT8 crc:UINT32 attributes:INT16
 *              last_offset_delta:INT32 base_timestamp:INT64 max_timestamp:INT64 producer_id:INT64
 *              producer_epoch:INT16 base_sequence:INT32 count:INT32 [Record]
 *
 * The bits of the attributes have these meanings: 0 to 2 codec, 3 log-append time, 4 transactional, 5
 * control. (Kafka's implementation notes, "Record Batch".)
 */
function header(bytes: Buffer, magic: number): RecordBatch {
  const baseOffset = bytes.readBigInt64BE(0);
  if (magic < MESSAGE_FORMAT) return { ...OLD_FORMAT, baseOffset, lastOffset: baseOffset, magic, bytes };
  const reader = new ByteReader(bytes, MAGIC_AT + 5);
  const attributes = reader.int16();
  const lastOffset = baseOffset + BigInt(reader.int32());
  const baseTimestamp = Number(reader.int64());
  const maxTimestamp = Number(reader.int64());
  const producerId = reader.int64();
  reader.at = HEADER_BYTES - 4;
  return {
    baseOffset,
    lastOffset,
    magic,
    codec: attributes & CODEC_MASK,
    isControl: (attributes & CONTROL) > 0,
    isTransactional: (attributes & TRANSACTIONAL) > 0,
    producerId,
    baseTimestamp,
    maxTimestamp,
    isLogAppendTime: (attributes & LOG_APPEND_TIME) > 0,
    count: reader.int32(),
    bytes,
  };
}

/**
 * A placeholder for messages in the formats before Kafka 0.11, which have neither batches nor a batch header.
 */
const OLD_FORMAT = {
  codec: 0,
  isControl: false,
  isTransactional: false,
  producerId: -1n,
  baseTimestamp: -1,
  maxTimestamp: -1,
  isLogAppendTime: false,
  count: 1,
};

/**
 * Decodes the records of a batch one at a time, on demand. Pure.
 *
 *     Record => length:VARINT attributes:INT8 timestamp_delta:VARLONG offset_delta:VARINT
 *               key_length:VARINT key value_length:VARINT value count:VARINT [Header]
 *     Header => name_length:VARINT name value_length:VARINT value
 *
 * The length -1 means null.
 * @param records the batch's records after decompression
 * @throws RangeError if the records contradict the header
 */
export function* recordsOf(
  { baseOffset, baseTimestamp, maxTimestamp, isLogAppendTime, count }: RecordBatch,
  records: Buffer,
  { topic, partition }: { topic: string; partition: number },
): Generator<FetchedRecord> {
  const reader = new ByteReader(records);
  for (let i = 0; i < count; i++) {
    const length = reader.varint();
    const end = reader.at + length;
    reader.at += 1;
    const timestampDelta = reader.varint();
    const offset = (baseOffset + BigInt(reader.varint())).toString();
    const key = reader.bytes(reader.varint());
    const value = reader.bytes(reader.varint());
    const headers = readHeaders(reader);
    if (reader.at !== end) throw new RangeError(`the length field of record ${offset} is wrong`);
    const timestamp = isLogAppendTime ? maxTimestamp : baseTimestamp + timestampDelta;
    yield { topic, partition, offset, key, value, ...(headers && { headers }), timestamp };
  }
}

/** Reads the headers by name. A name that occurs several times maps to the list of its values. */
function readHeaders(reader: ByteReader): SourceRecord['headers'] {
  const count = reader.varint();
  if (count <= 0) return undefined;
  // In an object without a prototype, `__proto__` and `constructor` are ordinary names.
  const headers: Record<string, Buffer | null | (Buffer | null)[]> = Object.create(null);
  for (let i = 0; i < count; i++) {
    const name = reader.bytes(reader.varint())?.toString() ?? '';
    const value = reader.bytes(reader.varint());
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else headers[name] = [before, value];
  }
  return headers as SourceRecord['headers'];
}

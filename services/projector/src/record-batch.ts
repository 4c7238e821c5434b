import { ByteReader } from './byte-reader.ts';
import type { SourceRecord } from './source-record.ts';

/** A record batch as it is in the log: its header is read, its records are not. */
export interface RecordBatch {
  /** Offset of its first record, and of its last: a batch may have lost records to compaction. */
  baseOffset: bigint;
  lastOffset: bigint;
  /** Message format: 2 since Kafka 0.11. */
  magic: number;
  /** 0 = not compressed; `codecs.ts` knows the others. */
  codec: number;
  /** It holds a marker of a transaction, and no records for consumers. */
  isControl: boolean;
  isTransactional: boolean;
  producerId: bigint;
  /** Epoch milliseconds; records carry differences to it. */
  baseTimestamp: number;
  /** Epoch milliseconds; of all records where the broker sets the time. */
  maxTimestamp: number;
  isLogAppendTime: boolean;
  /** Number of records, as the header says. */
  count: number;
  /** The whole batch, header included. */
  bytes: Buffer;
}

/** A record with its timestamp, epoch milliseconds. */
export interface FetchedRecord extends SourceRecord {
  timestamp: number;
}

const OFFSET_AND_LENGTH_BYTES = 12;
const MAGIC_AT = 16;
export const MESSAGE_FORMAT = 2;
/** The header of message format 2; the records follow. */
export const HEADER_BYTES = 61;
const CODEC_MASK = 0x07;
const LOG_APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

/**
 * The complete batches of a record set, as a fetch response holds it; the last one may be cut off.
 * Pure.
 * @throws Error when a length in it makes no sense
 */
export function recordBatches(set: Buffer): RecordBatch[] {
  const batches: RecordBatch[] = [];
  for (let at = 0; at + MAGIC_AT < set.length; ) {
    const length = OFFSET_AND_LENGTH_BYTES + set.readInt32BE(at + 8);
    const magic = set.readInt8(at + MAGIC_AT);
    if (length < (magic < MESSAGE_FORMAT ? MAGIC_AT + 1 : HEADER_BYTES)) throw new Error(`a record batch has an impossible length: ${length}`);
    if (at + length > set.length) break;
    batches.push(header(set.subarray(at, at + length), magic));
    at += length;
  }
  return batches;
}

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

/** A message of the formats before Kafka 0.11, which have no batches and no header like this. */
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
 * The records of a batch one by one, each decoded when it is asked for. Pure.
 * @param records the batch's records after decompression
 * @throws RangeError when they are not what the header says
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
    if (reader.at !== end) throw new RangeError(`record ${offset} is not as long as it says`);
    const timestamp = isLogAppendTime ? maxTimestamp : baseTimestamp + timestampDelta;
    yield { topic, partition, offset, key, value, ...(headers && { headers }), timestamp };
  }
}

/** Headers by name; a name that occurs several times has the list of its values. */
function readHeaders(reader: ByteReader): SourceRecord['headers'] {
  const count = reader.varint();
  if (count <= 0) return undefined;
  // Without a prototype, so that `__proto__` and `constructor` are names like any other.
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

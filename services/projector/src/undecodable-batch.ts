/** Header of a record that stands for one whose batch could not be decompressed: the reason. */
export const UNDECODABLE_HEADER = 'vitrine-undecodable';

export const UNDECODABLE_REASONS = ['batch-too-large', 'undecodable-batch'] as const;
export type UndecodableReason = (typeof UNDECODABLE_REASONS)[number];

/** The record batch header of Kafka's message format v2, before the records. */
const BATCH_HEADER_BYTES = 61;
const MAGIC_AT = 16;
const LAST_OFFSET_DELTA_AT = 23;
const RECORD_COUNT_AT = 57;
const MESSAGE_FORMAT = 2;

/**
 * Stand-ins for the records of a batch that cannot be decompressed within bounds, encoded as the
 * records would have been: as many, at their offsets, the first with the compressed bytes as its
 * value and all with the reason in a header. kafkajs hands a codec the compressed bytes as a view of
 * the whole batch, whose header just before them names count and offsets.
 * @throws the cause when the header is not there, so that the consumer stops instead of guessing.
 */
export function undecodableRecords(compressed: Buffer, reason: UndecodableReason, cause: unknown): Buffer {
  if (compressed.byteOffset < BATCH_HEADER_BYTES) throw cause;
  const header = Buffer.from(compressed.buffer, compressed.byteOffset - BATCH_HEADER_BYTES, BATCH_HEADER_BYTES);
  if (header.readInt8(MAGIC_AT) !== MESSAGE_FORMAT) throw cause;
  const lastDelta = header.readInt32BE(LAST_OFFSET_DELTA_AT);
  const count = header.readInt32BE(RECORD_COUNT_AT);
  const records: Buffer[] = [];
  for (let i = 0; i < count; i++) records.push(record(i === count - 1 ? lastDelta : i, i === 0 ? compressed : null, reason));
  return Buffer.concat(records);
}

function record(offsetDelta: number, value: Buffer | null, reason: string): Buffer {
  const name = Buffer.from(UNDECODABLE_HEADER);
  const text = Buffer.from(reason);
  const body = Buffer.concat([
    Buffer.from([0]),
    varint(0),
    varint(offsetDelta),
    varint(-1),
    ...(value ? [varint(value.length), value] : [varint(-1)]),
    varint(1),
    varint(name.length),
    name,
    varint(text.length),
    text,
  ]);
  return Buffer.concat([varint(body.length), body]);
}

/** A zigzag varint, as protocol buffers have it. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >= 0 ? value * 2 : -value * 2 - 1;
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

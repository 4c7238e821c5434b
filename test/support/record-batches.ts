import { connect } from 'node:net';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { crc32c } from '@vitrine/kafka/testing';
import type { Published } from './deployment.ts';

const NONE = 0;
const GZIP = 1;
const ZSTD = 4;

/** zstd as a producer can use it that finds repetitions over the whole batch. */
const farSighted = (records: Buffer): Buffer =>
  zstdCompressSync(records, {
    params: {
      [constants.ZSTD_c_compressionLevel]: 19,
      [constants.ZSTD_c_windowLog]: 26,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    },
  });

export interface EncodedBatch {
  bytes: Buffer;
  count: number;
}

/** Encodes a number as a zigzag varint, as in protocol buffers. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >= 0 ? value * 2 : -value * 2 - 1;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const lengthAndBytes = (bytes: Buffer | string | null): Buffer[] => {
  if (bytes === null) return [varint(-1)];
  const buffer = Buffer.from(bytes as string);
  return [varint(buffer.length), buffer];
};

/** Encodes the uncompressed records of a batch in message format 2. */
export function encodeRecords(records: readonly Pick<Published, 'key' | 'value'>[]): Buffer {
  const parts = records.map(({ key, value }, i) => {
    const body = Buffer.concat([
      Buffer.from([0, 0]),
      varint(i),
      ...lengthAndBytes(key),
      ...lengthAndBytes(value),
      varint(0),
    ]);
    return Buffer.concat([varint(body.length), body]);
  });
  return Buffer.concat(parts);
}

/**
 * Encodes a record batch with any number of records. The encoder of kafkajs would take minutes for 100,000
 * records.
 * @param records in the format of `encodeRecords`
 */
export function encodeBatch(
  records: Buffer,
  count: number,
  { gzip = true, zstd = false, timestamp = Date.now() } = {},
): EncodedBatch {
  const body = zstd ? farSighted(records) : gzip ? gzipSync(records) : records;
  const checked = Buffer.alloc(40);
  checked.writeInt16BE(zstd ? ZSTD : gzip ? GZIP : NONE, 0);
  checked.writeInt32BE(count - 1, 2);
  checked.writeBigInt64BE(BigInt(timestamp), 6);
  checked.writeBigInt64BE(BigInt(timestamp), 14);
  checked.writeBigInt64BE(-1n, 22);
  checked.writeInt16BE(-1, 30);
  checked.writeInt32BE(-1, 32);
  checked.writeInt32BE(count, 36);
  const content = Buffer.concat([checked, body]);
  const head = Buffer.alloc(21);
  head.writeInt32BE(9 + content.length, 8);
  head.writeInt8(2, 16);
  head.writeUInt32BE(crc32c(content) >>> 0, 17);
  return { bytes: Buffer.concat([head, content]), count };
}

/**
 * Sends a batch unchanged to the only broker of this run, with acks=all.
 * @throws Error if the broker refuses it
 */
export async function produceBatch(
  brokers: string,
  topic: string,
  partition: number,
  { bytes }: EncodedBatch,
): Promise<void> {
  const [host, port] = brokers.split(',')[0]?.split(':') ?? [];
  const text = (value: string) => Buffer.concat([int(2, value.length), Buffer.from(value)]);
  // Version 7 is the first one that accepts zstd.
  const PRODUCE = Buffer.from([0, 0, 0, 7, 0, 0, 0, 1]);
  const request = Buffer.concat([
    PRODUCE,
    text('test'),
    int(2, -1),
    int(2, -1),
    int(4, 30_000),
    int(4, 1),
    text(topic),
    int(4, 1),
    int(4, partition),
    int(4, bytes.length),
    bytes,
  ]);
  const socket = connect({ host: host as string, port: Number(port) });
  socket.write(Buffer.concat([int(4, request.length), request]));
  let response = Buffer.alloc(0);
  for await (const chunk of socket) {
    response = Buffer.concat([response, chunk as Buffer]);
    if (response.length >= 4 && response.length >= 4 + response.readInt32BE(0)) break;
  }
  // The response contains size, correlation id, number of topics, topic, number of partitions, partition and
  // error code.
  const error = response.readInt16BE(4 + 4 + 4 + 2 + topic.length + 4 + 4);
  if (error !== 0) throw new Error(`the broker refused the batch with error code ${error}`);
}

function int(bytes: 2 | 4, value: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
}

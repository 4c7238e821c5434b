import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import kafkajs from 'kafkajs';
import lz4 from 'lz4js';
import { uncompress as unsnappy } from 'snappyjs';
import { undecodableRecords } from './undecodable-batch.ts';

/** What one fetch may decompress to, in all its batches; more waits for the next fetch. */
const MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

type Decompress = (compressed: Buffer, limit: number) => Buffer;

/** The output would be larger than what is left to it. */
class OverLimit extends Error {}

/** kafkajs takes a batch that "is cut off" as the end of a fetch, and asks for it again with the next. */
class NextFetch extends Error {
  override readonly name = 'KafkaJSPartialMessageError';
}

const zlibBounded =
  (inflate: (compressed: Buffer, options: { maxOutputLength: number }) => Buffer): Decompress =>
  (compressed, limit) => {
    try {
      return inflate(compressed, { maxOutputLength: limit });
    } catch (error) {
      throw error instanceof RangeError ? new OverLimit('', { cause: error }) : error;
    }
  };

const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const XERIAL_HEADER_BYTES = 16;

/** Plain snappy, or the framing of the Java clients: a header, then blocks after their 4-byte lengths. */
const decompressSnappy: Decompress = (compressed, limit) => {
  if (!compressed.subarray(0, 8).equals(XERIAL_MAGIC)) return snappyBlock(compressed, limit);
  const blocks: Buffer[] = [];
  let left = limit;
  for (let at = XERIAL_HEADER_BYTES; at < compressed.length; ) {
    const length = compressed.readUInt32BE(at);
    const block = snappyBlock(compressed.subarray(at + 4, at + 4 + length), left);
    blocks.push(block);
    left -= block.length;
    at += 4 + length;
  }
  return Buffer.concat(blocks);
};

function snappyBlock(block: Buffer, limit: number): Buffer {
  if (snappyLength(block) > limit) throw new OverLimit();
  return Buffer.from(unsnappy(block));
}

/** The length a block says it has, a little-endian varint before its data. */
function snappyLength(block: Buffer): number {
  let length = 0;
  for (let i = 0; i < 5; i++) {
    const byte = block[i] ?? 0;
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) break;
  }
  return length;
}

const decompressLz4: Decompress = (compressed, limit) => {
  const room = Math.min(lz4.decompressBound(compressed), limit);
  const output = Buffer.alloc(room);
  const length = lz4.decompressFrame(compressed, output);
  if (length > room) throw new OverLimit();
  return output.subarray(0, length);
};

const CODECS: [type: number, decompress: Decompress][] = [
  [kafkajs.CompressionTypes.GZIP, zlibBounded(gunzipSync)],
  [kafkajs.CompressionTypes.Snappy, decompressSnappy],
  [kafkajs.CompressionTypes.LZ4, decompressLz4],
  [kafkajs.CompressionTypes.ZSTD, zlibBounded(zstdDecompressSync)],
];

/**
 * Teaches kafkajs (process-wide, as its registry is) to read gzip, snappy, lz4 and zstd with a bound
 * on what a fetch may decompress to. A single batch above the bound is handed on as records that
 * say so, to be dead-lettered; the batches after it go on.
 */
export function registerBoundedCodecs(limit = MAX_DECOMPRESSED_BYTES): void {
  let left = limit;
  // kafkajs decodes a response without a pause between its batches: the next turn of the event loop
  // belongs to the next fetch, whoever's it is.
  const draw = (bytes: number) => {
    if (left === limit)
      setImmediate(() => {
        left = limit;
      });
    left -= bytes;
  };
  for (const [type, decompress] of CODECS) {
    const gzip = kafkajs.CompressionTypes.GZIP === type;
    const original = gzip ? kafkajs.CompressionCodecs[type as 1]?.() : undefined;
    kafkajs.CompressionCodecs[type as 1] = () => ({
      compress: original?.compress ?? (() => Promise.reject(new Error('this process writes uncompressed or gzip records only'))),
      decompress: async (compressed: Buffer) => {
        if (left <= 0) throw new NextFetch();
        try {
          const records = decompress(compressed, left);
          draw(records.length);
          return records;
        } catch (error) {
          if (!(error instanceof OverLimit)) return undecodableRecords(compressed, 'undecodable-batch', error);
          if (left < limit) throw new NextFetch();
          return undecodableRecords(compressed, 'batch-too-large', error);
        }
      },
    });
  }
}

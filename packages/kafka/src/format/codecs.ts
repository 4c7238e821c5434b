import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { uncompress as unsnappy } from 'snappyjs';
import { decompressLz4Frame } from './lz4-frame.ts';

/** The output would exceed the limit. */
export class OverLimitError extends Error {
  override readonly name = 'OverLimitError';
}

type Decompress = (compressed: Buffer, limit: number) => Promise<Buffer> | Buffer;

const zlibBounded =
  (inflate: (compressed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>): Decompress =>
  async (compressed, maxOutputLength) => {
    try {
      return await inflate(compressed, { maxOutputLength });
    } catch (error) {
      throw error instanceof RangeError ? new OverLimitError(error.message, { cause: error }) : error;
    }
  };

const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const XERIAL_HEADER_BYTES = 16;

/**
 * Decompresses plain snappy, or the format of the Java clients:
 *
 *     Stream => magic:8 bytes version:INT32 compatible_version:INT32 [Block]
 *     Block  => length:INT32 snappy
 */
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
  const length = snappyLength(block);
  if (length > limit)
    throw new OverLimitError(`a block of ${length} bytes exceeds the limit of ${limit} bytes`);
  return Buffer.from(unsnappy(block));
}

/** Reads the declared output length of a block: a little-endian varint before its data. */
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
  const output = decompressLz4Frame(compressed, limit);
  if (!output) throw new OverLimitError(`the decompressed data exceeds the limit of ${limit} bytes`);
  return output;
};

const CODECS: readonly { name: string; decompress: Decompress }[] = [
  { name: 'not compressed', decompress: (bytes) => bytes },
  { name: 'gzip', decompress: zlibBounded(promisify(gunzip)) },
  { name: 'snappy', decompress: decompressSnappy },
  { name: 'lz4', decompress: decompressLz4 },
  { name: 'zstd', decompress: zlibBounded(promisify(zstdDecompress)) },
];

/** Returns the name of a codec for its number in a record batch. */
export const codecName = (codec: number): string => CODECS[codec]?.name ?? `codec ${codec}`;

/**
 * Decompresses the records of a batch.
 * @param codec the number of the codec in the batch header
 * @param limit maximum size of the output in bytes
 * @throws OverLimitError, and other errors if the data does not match the codec
 */
export async function decompress(codec: number, compressed: Buffer, limit: number): Promise<Buffer> {
  const known = CODECS[codec];
  if (!known) throw new Error(`the compression codec ${codec} is unknown`);
  return known.decompress(compressed, limit);
}

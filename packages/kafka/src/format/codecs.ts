import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import lz4 from 'lz4js';
import { uncompress as unsnappy } from 'snappyjs';

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
 * Decompresses plain snappy, or the format that the Java clients write:
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

/** Reads a block's declared output length, which is a little-endian varint before its data. */
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

export const codecName = (codec: number): string => CODECS[codec]?.name ?? `codec ${codec}`;

/**
 * Decompresses the records of a batch.
 * @param codec the codec's number in the batch header
 * @param limit maximum size of the output in bytes
 * @throws OverLimitError, and other errors if the data does not match the codec
 */
export async function decompress(codec: number, compressed: Buffer, limit: number): Promise<Buffer> {
  const known = CODECS[codec];
  if (!known) throw new Error(`the compression codec ${codec} is unknown`);
  return known.decompress(compressed, limit);
}

const MAGIC = 0x184d2204;
const VERSION_MASK = 0xc0;
const VERSION = 0x40;
const BLOCK_CHECKSUM = 0x10;
const CONTENT_SIZE = 0x08;
const CHECKSUM_BYTES = 4;
const NOT_COMPRESSED = 0x80000000;
/** The maximum sizes of a block in bytes, keyed by the index in the frame header. */
const BLOCK_SIZES: Readonly<Record<number, number>> = { 4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22 };

interface Block {
  from: number;
  size: number;
  isCompressed: boolean;
}

/**
 * Decompresses an LZ4 frame. Uses lz4js only for blocks, because its frame reader expects a block's checksum
 * before the block, trusts the size in the header, and processes impossible block sizes for minutes. Does not
 * verify checksums, because the broker has already verified them. Pure.
 * @param limit maximum size of the output in bytes
 * @returns undefined if the output would exceed the limit
 * @throws Error if the frame is damaged
 */
export function decompressLz4Frame(frame: Buffer, limit: number): Buffer | undefined {
  const { blocks, maxBlockBytes } = readFrame(frame);
  const output = Buffer.alloc(Math.min(blocks.length * maxBlockBytes, limit));
  let length = 0;
  for (const { from, size, isCompressed } of blocks) {
    const before = length;
    if (isCompressed) length = lz4.decompressBlock(frame, output, from, size, before);
    else {
      frame.copy(output, before, from, from + size);
      length += size;
    }
    if (length - before > maxBlockBytes)
      throw new Error('an LZ4 block exceeds the maximum block size of its frame');
    if (length > output.length) return undefined;
  }
  return output.subarray(0, length);
}

/**
 *     Frame => magic:UINT32LE flags:INT8 block_size:INT8 [content_size:UINT64LE] header_checksum:INT8
 *              [Block] end:UINT32LE(0)
 *     Block => size:UINT32LE data [checksum:UINT32LE]
 *
 * The highest bit of a block's size means that its data is not compressed. (LZ4 frame format 1.6.)
 */
function readFrame(frame: Buffer): { blocks: Block[]; maxBlockBytes: number } {
  if (frame.readUInt32LE(0) !== MAGIC) throw new Error('the data is not an LZ4 frame');
  const flags = frame.readUInt8(4);
  const maxBlockBytes = BLOCK_SIZES[(frame.readUInt8(5) >> 4) & 0x07];
  if ((flags & VERSION_MASK) !== VERSION || maxBlockBytes === undefined)
    throw new Error('the LZ4 frame has an unsupported version or block size');
  const blocks: Block[] = [];
  // The header ends with its own checksum of one byte.
  for (let at = 7 + (flags & CONTENT_SIZE ? 8 : 0); ; ) {
    const field = frame.readUInt32LE(at);
    if (field === 0) return { blocks, maxBlockBytes };
    const from = at + 4;
    const size = field % NOT_COMPRESSED;
    if (from + size > frame.length) throw new Error('an LZ4 block extends past the end of its frame');
    blocks.push({ from, size, isCompressed: field < NOT_COMPRESSED });
    at = from + size + (flags & BLOCK_CHECKSUM ? CHECKSUM_BYTES : 0);
  }
}

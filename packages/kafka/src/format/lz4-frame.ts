import lz4 from 'lz4js';

const MAGIC = 0x184d2204;
const VERSION_MASK = 0xc0;
const VERSION = 0x40;
const BLOCK_CHECKSUM = 0x10;
const CONTENT_SIZE = 0x08;
const CHECKSUM_BYTES = 4;
const NOT_COMPRESSED = 0x80000000;
/** Maximum size of a block, in bytes, by the index in the frame header. */
const BLOCK_SIZES: Readonly<Record<number, number>> = { 4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22 };

interface Block {
  from: number;
  size: number;
  isCompressed: boolean;
}

/**
 * Decompresses an LZ4 frame. Uses lz4js only for blocks, because its frame reader expects the checksum of a
 * block before the block, trusts the size in the header, and processes impossible block sizes for minutes.
 * Does not verify checksums, because the broker has already verified them. Pure.
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

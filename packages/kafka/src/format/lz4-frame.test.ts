import { expect } from 'chai';
import lz4 from 'lz4js';
import { decompressLz4Frame } from './codecs.ts';

const MEBIBYTE = 1024 * 1024;
const CONTENT = Buffer.from(
  Array.from({ length: 2_000 }, (_, i) => `casa ${i % 97} com varanda; `).join(''),
).toString('latin1');
const HEADER_BYTES = 7;

const compress = (content: Buffer): Buffer => Buffer.from(lz4.compress(content));
const frameOf = (content: string): Buffer => compress(Buffer.from(content, 'latin1'));

/**
 * Changes a frame: sets more flags, inserts bytes before the header's checksum, and replaces the blocks.
 */
function changed(
  frame: Buffer,
  { flags = 0, insert = Buffer.alloc(0), blocks = frame.subarray(HEADER_BYTES) },
): Buffer {
  const head = Buffer.from(frame.subarray(0, HEADER_BYTES));
  head.writeUInt8(head.readUInt8(4) | flags, 4);
  return Buffer.concat([head.subarray(0, 6), insert, head.subarray(6), blocks]);
}

/** Returns the blocks of a frame, with a checksum of four bytes after each block. */
function withChecksums(frame: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = HEADER_BYTES;
  for (let size = frame.readUInt32LE(at); size > 0; size = frame.readUInt32LE(at)) {
    const end = at + 4 + (size % 0x80000000);
    parts.push(frame.subarray(at, end), Buffer.from('sum!'));
    at = end;
  }
  return changed(frame, { flags: 0x10, blocks: Buffer.concat([...parts, frame.subarray(at)]) });
}

describe('an LZ4 frame', () => {
  it('may have several blocks, and uncompressed blocks', () => {
    for (const content of ['', 'a', CONTENT, CONTENT.repeat(200)])
      expect(decompressLz4Frame(frameOf(content), 16 * MEBIBYTE)?.toString('latin1')).to.equal(content);
  });
  it('may have a checksum after each block', () => {
    for (const content of ['a', CONTENT, CONTENT.repeat(200)])
      expect(decompressLz4Frame(withChecksums(frameOf(content)), 16 * MEBIBYTE)?.toString('latin1')).to.equal(
        content,
      );
  });
  it('is decompressed completely, even if its header states another size', () => {
    for (const size of [0n, 5n, 2n ** 62n]) {
      const insert = Buffer.alloc(8);
      insert.writeBigUInt64LE(size);
      expect(
        decompressLz4Frame(changed(frameOf(CONTENT), { flags: 0x08, insert }), MEBIBYTE)?.toString('latin1'),
      ).to.equal(CONTENT);
    }
  });
  it('returns undefined if the output would exceed the limit', () => {
    expect(decompressLz4Frame(frameOf(CONTENT), CONTENT.length)).to.have.length(CONTENT.length);
    expect(decompressLz4Frame(frameOf(CONTENT), CONTENT.length - 1)).to.equal(undefined);
    expect(decompressLz4Frame(compress(Buffer.alloc(9 * MEBIBYTE)), 8 * MEBIBYTE)).to.equal(undefined);
  });
  it('is refused if a block extends past its end', () => {
    for (const size of [0x7fffffff, 0xffffffff, 5 * MEBIBYTE, 1_000]) {
      const frame = frameOf('casa');
      frame.writeUInt32LE(size, HEADER_BYTES);
      expect(() => decompressLz4Frame(frame, 64 * MEBIBYTE), String(size)).to.throw(
        'an LZ4 block extends past the end of its frame',
      );
    }
  });
  it('is refused if a block exceeds its maximum block size', () => {
    const frame = compress(Buffer.alloc(MEBIBYTE));
    // The header now declares blocks of at most 64 KiB.
    frame.writeUInt8(0x40, 5);
    expect(() => decompressLz4Frame(frame, 64 * MEBIBYTE)).to.throw(
      'an LZ4 block exceeds the maximum block size of its frame',
    );
  });
  it('is refused if it is truncated or of an unknown kind', () => {
    const frame = frameOf(CONTENT);
    for (const length of [0, 3, 6, 8, 12, frame.length - 1])
      expect(() => decompressLz4Frame(frame.subarray(0, length), MEBIBYTE), String(length)).to.throw();
    for (const [at, byte] of [
      [0, 1],
      [4, 0x80],
      [5, 0x10],
    ] as const) {
      const other = Buffer.from(frame);
      other.writeUInt8(byte, at);
      expect(() => decompressLz4Frame(other, MEBIBYTE)).to.throw('LZ4 frame');
    }
  });
});

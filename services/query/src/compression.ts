import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { ContentCoding } from './content-coding.ts';

/** A smaller body fits one packet, and the header and checksum of an encoding cost what it saves. */
export const CODING_WORTHWHILE_BYTES = 1_024;
/** Smaller than gzip, far faster than brotli's best: a page changes within seconds. */
const BROTLI_QUALITY = 4;

const [brotli, zipped, zstd] = [promisify(brotliCompress), promisify(gzip), promisify(zstdCompress)];
const ENCODERS: Record<ContentCoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) =>
    brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  gzip: (content) => zipped(content),
  zstd: (content) => zstd(content),
};

/** Encodes `content` on a thread of the pool. @throws where the library cannot, for example without memory */
export const encode = (content: Buffer, coding: ContentCoding): Promise<Buffer> => ENCODERS[coding](content);

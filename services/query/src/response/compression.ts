import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { ContentCoding } from './content-encoding.ts';

/** A smaller body fits into one packet anyway, and the encoding's header and checksum cancel the savings. */
export const CODING_WORTHWHILE_BYTES = 1_024;
/**
 * Output smaller than gzip's, and far faster than brotli's best quality. Speed matters: pages change within
 * seconds.
 */
const BROTLI_QUALITY = 4;

const [brotli, zipped, zstd] = [promisify(brotliCompress), promisify(gzip), promisify(zstdCompress)];
const ENCODERS: Record<ContentCoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) =>
    brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  gzip: (content) => zipped(content),
  zstd: (content) => zstd(content),
};

/** Encodes `content` on the thread pool. @throws if the library fails, for example for lack of memory */
export const encode = (content: Buffer, coding: ContentCoding): Promise<Buffer> => ENCODERS[coding](content);

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { ContentEncoding } from './content-encoding.ts';

/**
 * Minimum size of an encoded body. A smaller body fits into one packet, and the encoding's header and
 * checksum would cancel the savings.
 */
export const MIN_ENCODED_BYTES = 1_024;
/**
 * At this quality, the output is smaller than with gzip, and encoding is much faster than at brotli's best
 * quality. Speed matters, because pages change within seconds.
 */
const BROTLI_QUALITY = 4;

const [brotli, gzipped, zstd] = [promisify(brotliCompress), promisify(gzip), promisify(zstdCompress)];
const ENCODERS: Record<ContentEncoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) =>
    brotli(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: (content) => gzipped(content),
  zstd: (content) => zstd(content),
};

/**
 * Encodes `content` on the thread pool. The result has memory of exactly its size, because the cache keeps it: a
 * small result of zlib would keep a chunk of 16 KiB allocated.
 * @throws if the library fails, for example for lack of memory
 */
export async function encode(content: Buffer, encoding: ContentEncoding): Promise<Buffer> {
  const encoded = await ENCODERS[encoding](content);
  if (encoded.buffer.byteLength === encoded.length) return encoded;
  const exact = Buffer.allocUnsafeSlow(encoded.length);
  encoded.copy(exact);
  return exact;
}

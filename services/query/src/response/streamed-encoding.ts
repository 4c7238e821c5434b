import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import type { ContentEncoding } from './content-encoding.ts';

/** The quality of the encoded pages, and a window of 512 KiB, because a stream lives long. */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 19 },
};
const ENCODERS: Record<ContentEncoding, () => Transform> = {
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(),
  zstd: () => createZstdCompress(),
};

/**
 * Encodes a stream of bytes piece by piece. An error of `content` ends the result with this error. If the result is
 * destroyed, `content` ends too.
 */
export function encodeStream(
  content: AsyncIterable<Buffer>,
  encoding: ContentEncoding | undefined,
): AsyncIterable<Buffer> {
  if (encoding === undefined) return content;
  return pipeline(Readable.from(content), ENCODERS[encoding](), () => undefined);
}

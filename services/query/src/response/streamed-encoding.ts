import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import type { ContentEncoding } from './content-encoding.ts';

/** The same quality as for pages, and a window of only 512 KiB, because a stream may last for hours. */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 19 },
};
const ENCODERS: Record<ContentEncoding, () => Transform> = {
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(),
  zstd: () => createZstdCompress(),
};

/**
 * Encodes a stream of bytes piece by piece. If `content` fails, the result fails with the same error. If the
 * result is destroyed, `content` ends too.
 */
export function encodeStream(
  content: AsyncIterable<Buffer>,
  encoding: ContentEncoding | undefined,
): AsyncIterable<Buffer> {
  if (encoding === undefined) return content;
  return pipeline(Readable.from(content), ENCODERS[encoding](), () => undefined);
}

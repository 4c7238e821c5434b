import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib';

/**
 * The service's content encodings. If a client gives two encodings equal weights, the service prefers the
 * earlier one.
 */
const ENCODINGS = ['br', 'zstd', 'gzip'] as const;
export type ContentEncoding = (typeof ENCODINGS)[number];

const MEMBER = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/i;

/**
 * Selects the encoding for an Accept-Encoding header (RFC 9110 §12.5.3). Returns undefined for identity. An
 * absent or empty header selects identity. A header that accepts nothing also selects identity, because an
 * unencoded response is more useful than a refusal.
 * @param isWorthwhile whether the content is large enough to benefit from an encoding. If false, the body is
 * encoded only for a client that refuses identity.
 */
export function chooseEncoding(
  header: string | undefined,
  isWorthwhile: boolean,
): ContentEncoding | undefined {
  if (header === undefined) return undefined;
  const weights = readWeights(header);
  const weightOf = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const acceptable = ENCODINGS.filter((encoding) => weightOf(encoding) > 0);
  const best = acceptable.toSorted((a, b) => weightOf(b) - weightOf(a))[0];
  if (best === undefined) return undefined;
  // Identity is acceptable unless the client refuses it. Only an explicit weight can make identity preferable
  // to an encoding.
  const identity = weights.get('identity') ?? weights.get('*');
  if (identity === 0) return best;
  if (!isWorthwhile) return undefined;
  return (weights.get('identity') ?? 0) > weightOf(best) ? undefined : best;
}

/**
 * Reads the weights, keyed by encoding in lower case. Ignores malformed members. If an encoding is repeated,
 * its first weight counts.
 */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const member of header.split(',')) {
    const [, name, weight = '1'] = MEMBER.exec(member.trim()) ?? [];
    if (name === undefined) continue;
    // RFC 9110 §8.4.1.3.
    const encoding = name.toLowerCase() === 'x-gzip' ? 'gzip' : name.toLowerCase();
    if (!weights.has(encoding)) weights.set(encoding, Number(weight));
  }
  return weights;
}

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
 * Encodes `content` on the thread pool. The result has memory of exactly its size, because the cache keeps
 * it. A small zlib result would keep a chunk of 16 KiB allocated.
 * @throws if the library fails, for example for lack of memory
 */
export async function encode(content: Buffer, encoding: ContentEncoding): Promise<Buffer> {
  const encoded = await ENCODERS[encoding](content);
  if (encoded.buffer.byteLength === encoded.length) return encoded;
  const exact = Buffer.allocUnsafeSlow(encoded.length);
  encoded.copy(exact);
  return exact;
}

/** Encodes content. @returns undefined if the caller must send the content unencoded */
export type Encoder = (content: Buffer, encoding: ContentEncoding) => Promise<Buffer> | undefined;

/**
 * Creates an encoder that limits the total size of the bodies being encoded to `maxBytes`. Encoding a page
 * takes longer than building it, so without a limit, pages would accumulate in memory while they wait for the
 * thread pool.
 */
export function boundedEncoder(maxBytes: number, encoder: typeof encode = encode): Encoder {
  let inProgress = 0;
  return (content, encoding) => {
    if (inProgress > 0 && inProgress + content.length > maxBytes) return undefined;
    inProgress += content.length;
    const encoded = encoder(content, encoding);
    const ended = () => {
      inProgress -= content.length;
    };
    encoded.then(ended, ended);
    return encoded;
  };
}

/** The same quality as for pages, and a window of only 512 KiB, because a stream may last for hours. */
const STREAMED_BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 19 },
};
const STREAM_ENCODERS: Record<ContentEncoding, () => Transform> = {
  br: () => createBrotliCompress(STREAMED_BROTLI),
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
  return pipeline(Readable.from(content), STREAM_ENCODERS[encoding](), () => undefined);
}

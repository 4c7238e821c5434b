import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { Middleware } from 'koa';
import { type ContentCoding, chooseCoding } from './content-coding.ts';

/** Below this, header and checksum of a coding eat what it saves; it also fits one packet. */
export const CODING_WORTHWHILE_BYTES = 1_024;
/** Between gzip and the best that brotli can do in time and size: a page changes within seconds. */
const BROTLI_QUALITY = 4;

const [brotli, zipped, zstd] = [promisify(brotliCompress), promisify(gzip), promisify(zstdCompress)];
const ENCODERS: Record<ContentCoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) =>
    brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  gzip: (content) => zipped(content),
  zstd: (content) => zstd(content),
};

/** `content` in `coding`, made by a thread of the pool. */
export const encode = (content: Buffer, coding: ContentCoding): Promise<Buffer> => ENCODERS[coding](content);

/** Sends each text in the coding that its request asks for. RFC 9110 §8.4, §12.5.3. */
export const compression: Middleware = async (context, next) => {
  await next();
  if (typeof context.body !== 'string' || !context.writable) return;
  const content = Buffer.from(context.body);
  const coding = chooseCoding(context.get('Accept-Encoding'), content.length >= CODING_WORTHWHILE_BYTES);
  if (coding === undefined) return;
  context.body = await encode(content, coding);
  context.set('Content-Encoding', coding);
};

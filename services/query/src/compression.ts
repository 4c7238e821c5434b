import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { Middleware } from 'koa';
import { type ContentCoding, chooseCoding } from './content-coding.ts';

/** Below this, header and checksum of a coding eat what it saves; it also fits one packet. */
const WORTHWHILE_BYTES = 1_024;
/** Between gzip and the best that brotli can do in time and size: an answer is made for a few readers only. */
const BROTLI_QUALITY = 4;

const [brotli, zipped, zstd] = [promisify(brotliCompress), promisify(gzip), promisify(zstdCompress)];
const ENCODERS: Record<ContentCoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) =>
    brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  gzip: (content) => zipped(content),
  zstd: (content) => zstd(content),
};

/** Sends each text in the coding that its request asks for. RFC 9110 §8.4, §12.5.3. */
export const compression: Middleware = async (context, next) => {
  await next();
  if (typeof context.body !== 'string' || !context.writable) return;
  const content = Buffer.from(context.body);
  const coding = chooseCoding(context.get('Accept-Encoding'), content.length >= WORTHWHILE_BYTES);
  if (coding === undefined) return;
  context.body = await ENCODERS[coding](content);
  context.set('Content-Encoding', coding);
};

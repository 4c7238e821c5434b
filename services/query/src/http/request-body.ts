import type { IncomingMessage } from 'node:http';
import { Problem } from '../contract/problem.ts';

const IS_JSON = /^application\/([a-z0-9.+-]+\+)?json[ \t]*(;|$)/i;

/**
 * Returns whether a request with this Content-Type may contain JSON. A request without a content type is
 * accepted, because its body can only be JSON.
 */
export const isJsonType = (contentType: string | undefined): boolean =>
  contentType === undefined || IS_JSON.test(contentType.trim());

/**
 * Reads the whole body of a request.
 * @param maxBytes the limit, in bytes
 * @throws Problem (413) as soon as the body exceeds the limit; the stream's error if the client disconnects
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** RFC 9110 §15.5.14. The connection closes, because the rest of the body is unread. */
const tooLarge = (maxBytes: number): Problem =>
  new Problem('content-too-large', `The request body exceeds ${maxBytes} bytes.`, {
    headers: { Connection: 'close' },
  });

import type { IncomingMessage } from 'node:http';
import { Problem } from '../contract/problem.ts';

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
  new Problem(413, `The request body exceeds ${maxBytes} bytes.`, { headers: { Connection: 'close' } });

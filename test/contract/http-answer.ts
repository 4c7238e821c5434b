import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export interface HttpAnswer {
  status: number;
  /** The headers by lower-case name. A repeated header has a list of values. */
  headers: Record<string, string>;
  /** The body as the service sent it, still encoded. */
  bytes: Buffer;
  /** The decoded body. */
  text: string;
}

const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

/**
 * Sends one request with only Host, the given headers and the length of the body. The function does not use
 * fetch, because fetch would add headers and decode the body.
 */
export async function ask(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<HttpAnswer> {
  const sent = request(url, { method, headers, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  const named = Object.entries(response.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  const decode = DECODERS[response.headers['content-encoding'] ?? ''];
  const text = (decode && bytes.length > 0 ? decode(bytes) : bytes).toString();
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(named), bytes, text };
}

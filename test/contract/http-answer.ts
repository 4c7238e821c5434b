import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export interface HttpAnswer {
  status: number;
  /** The headers by lower-case name. A repeated header is a list. */
  headers: Record<string, string>;
  /** As it came. */
  bytes: Buffer;
  /** Decoded. */
  text: string;
}

const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

/**
 * Sends one request with only the given headers and Host, because fetch would add other headers and decode
 * the body.
 */
export async function ask(
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<HttpAnswer> {
  const sent = request(url, { method, headers, agent: false }).end();
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

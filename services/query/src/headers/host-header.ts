import type { IncomingMessage } from 'node:http';
import { MAX_HOST_LENGTH } from './request-headers.ts';

/** The form `uri-host [ ":" port ]`, in which the host may be empty. RFC 9110 §7.2, RFC 3986 §3.2.2. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;

/**
 * Explains why a request's Host header is invalid. Returns undefined if the header is valid. HTTP/1.1
 * requires exactly one Host header. With two headers, a proxy and this service could choose different hosts.
 * RFC 9112 §3.2.
 */
export function hostHeaderError({
  headers,
  rawHeaders,
  httpVersionMinor,
}: IncomingMessage): string | undefined {
  const { host } = headers;
  if (host === undefined) return httpVersionMinor === 0 ? undefined : 'The Host header is missing.';
  if (isRepeated(rawHeaders)) return 'There is more than one Host header.';
  return host.length <= MAX_HOST_LENGTH && HOST.test(host) ? undefined : 'The Host header is invalid.';
}

function isRepeated(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count > 1;
}

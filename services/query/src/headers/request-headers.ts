import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * The request headers that the service evaluates, and their maximum lengths in characters. A longer value
 * counts as absent. Parsing each value takes linear time. Source: docs/decisions/0021-request-headers.md.
 */
export const HEADER_LIMITS = {
  'accept-encoding': 1_024,
  'if-none-match': 4_096,
  traceparent: 256,
  tracestate: 512,
  'user-agent': 512,
  'x-request-id': 128,
} as const;

/**
 * Maximum length of a valid Host: a name of at most 253 characters, a final dot and a port. RFC 1035 §2.3.4.
 */
const MAX_HOST_LENGTH = 260;
/**
 * Maximum length of an address in X-Forwarded-For. An address itself has at most 45 characters. The rest is
 * for brackets, a zone and a port.
 */
export const MAX_FORWARDED_LENGTH = 100;

/** Returns the value of a header, or undefined if the header is absent, empty or longer than its limit. */
export function readHeader(
  headers: IncomingHttpHeaders,
  name: keyof typeof HEADER_LIMITS,
): string | undefined {
  const value = headers[name];
  if (typeof value !== 'string' || value === '' || value.length > HEADER_LIMITS[name]) return undefined;
  return value;
}

/** The characters that logs and headers can contain without escaping. */
const REQUEST_ID = new RegExp(`^[A-Za-z0-9._~:+/=@-]{1,${HEADER_LIMITS['x-request-id']}}$`);

/**
 * Reads the id that a client assigned to its request (`X-Request-Id`). Returns undefined if the id is absent
 * or not safe to log.
 */
export const clientRequestId = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined;

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

import type { IncomingHttpHeaders } from 'node:http';

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
export const MAX_HOST_LENGTH = 260;
/**
 * Maximum length of an address in X-Forwarded-For. An address has at most 45 characters. The rest is room for
 * brackets, a zone and a port.
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

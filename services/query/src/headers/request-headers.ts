import type { IncomingHttpHeaders } from 'node:http';

/**
 * The request headers that the service evaluates, and the maximum length of each in characters. A longer
 * value counts as absent. Each value is parsed in linear time. Source:
 * docs/decisions/0021-request-headers.md.
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
 * A longer Host is invalid: a name has at most 253 characters, followed by a final dot and a port. RFC 1035
 * §2.3.4.
 */
export const MAX_HOST_LENGTH = 260;
/**
 * A longer member of X-Forwarded-For is not an address. An address has at most 45 characters; the rest is
 * room for brackets, a zone and a port.
 */
export const MAX_FORWARDED_LENGTH = 100;

/** The value of a header within its limit; undefined for an absent, empty or longer one. */
export function readHeader(
  headers: IncomingHttpHeaders,
  name: keyof typeof HEADER_LIMITS,
): string | undefined {
  const value = headers[name];
  if (typeof value !== 'string' || value === '' || value.length > HEADER_LIMITS[name]) return undefined;
  return value;
}

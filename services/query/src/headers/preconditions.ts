import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';
import { readHeader } from './request-headers.ts';

/**
 * The preconditions of a request (RFC 9110 §13.1). The service ignores date conditions, because no response
 * has a Last-Modified header.
 */
export interface Preconditions {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/**
 * Reads the preconditions. An empty header counts as absent. If-Match has no length limit, because a server
 * must not ignore it.
 */
export const preconditionsOf = (headers: IncomingHttpHeaders): Preconditions => ({
  ifMatch: headers['if-match'] || undefined,
  ifNoneMatch: readHeader(headers, 'if-none-match'),
});

/**
 * Evaluates the preconditions of a GET or HEAD request. RFC 9110 §13.2.2.
 * @param etag a weak entity tag. If-Match uses strong comparison, which a weak tag never satisfies, so only
 * `*` matches (§13.1.1).
 */
export function evaluatePreconditions(
  { ifMatch, ifNoneMatch }: Preconditions,
  etag: string,
): 'page' | 'not-modified' | 'failed' {
  if (ifMatch !== undefined && ifMatch !== '*') return 'failed';
  return ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag) ? 'not-modified' : 'page';
}

/**
 * Returns whether an If-None-Match header contains `etag`, by weak comparison, in linear time. The library
 * `fresh` must not see the request's Cache-Control, because it treats `no-cache` as a mismatch. But
 * `no-cache` only tells caches to validate, and a 304 from the origin is that validation (RFC 9111 §5.2.1.4).
 * Browsers and Node send `no-cache` with every condition that a script sets.
 */
function matchesEtag(header: string, etag: string): boolean {
  // `fresh` accepts only spaces as white space. Entity tags contain neither spaces nor tabs.
  return header === etag || fresh({ 'if-none-match': header.replaceAll('\t', ' ') }, { etag });
}

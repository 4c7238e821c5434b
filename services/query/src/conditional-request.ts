import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';
import { readHeader } from './request-headers.ts';

/** The preconditions of a request. RFC 9110 §13.1; dates are ignored, since no response has a Last-Modified. */
export interface Preconditions {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/** An empty header counts as absent. If-Match has no limit: ignoring a long one would ignore a precondition. */
export const preconditionsOf = (headers: IncomingHttpHeaders): Preconditions => ({
  ifMatch: headers['if-match'] || undefined,
  ifNoneMatch: readHeader(headers, 'if-none-match'),
});

/**
 * The response that the preconditions of a GET or HEAD ask for. RFC 9110 §13.2.2.
 * @param etag a weak entity tag: by If-Match's strong comparison it equals nothing, so only `*` matches (§13.1.1)
 */
export function evaluatePreconditions({ ifMatch, ifNoneMatch }: Preconditions, etag: string): 'page' | 'not-modified' | 'failed' {
  if (ifMatch !== undefined && ifMatch !== '*') return 'failed';
  return ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag) ? 'not-modified' : 'page';
}

/**
 * Whether an If-None-Match header names `etag`, by weak comparison, in linear time. `fresh` does not see the
 * Cache-Control of the request: `no-cache` asks caches to validate, and a 304 of the origin is that validation
 * (RFC 9111 §5.2.1.4). Browsers and Node send it with every condition that a script sets.
 */
function matchesEtag(header: string, etag: string): boolean {
  // `fresh` takes only spaces for white space. An entity tag contains neither.
  return header === etag || fresh({ 'if-none-match': header.replaceAll('\t', ' ') }, { etag });
}

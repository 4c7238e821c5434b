import type { EncodedBody, Page } from '../cache/page.ts';
import type { ServedPage } from '../cache/page-cache.ts';
import { COMMON_HEADERS, Problem, VARY_BY_HOST } from '../contract/problem.ts';
import { evaluatePreconditions, type Preconditions } from '../headers/preconditions.ts';
import { DEPRECATION, deprecationLink, usesLegacyNames } from '../request/deprecation.ts';

/** The parts of a request that, together with its page, determine the response. */
export interface PageRequest extends Preconditions {
  /** The headers for a request with legacy names. Their link precedes the page's own links. */
  legacy: LegacyHeaders | undefined;
  /** Whether the page contains the Host of the request. */
  variesByHost: boolean;
}

/**
 * The deprecation headers for a request with legacy names. These headers depend on the spelling of the
 * request, so they are not part of a page.
 */
export interface LegacyHeaders {
  deprecation: string;
  link: string;
}

/**
 * Creates a function that returns the deprecation headers for a raw query that contains legacy names, and
 * undefined for any other raw query.
 * @param base PUBLIC_URL + BASE_PATH, or only BASE_PATH if PUBLIC_URL is not set
 */
export function legacyHeadersOf(base: string): (query: string) => LegacyHeaders | undefined {
  const headers: LegacyHeaders = { deprecation: DEPRECATION, link: deprecationLink(base) };
  return (query) => (usesLegacyNames(query) ? headers : undefined);
}

/** A response. Its headers are an array of alternating names and values, which Node writes fastest. */
export interface PageResponse {
  status: 200 | 304;
  headers: string[];
  body: Buffer | undefined;
}

const COMMON = Object.entries(COMMON_HEADERS).flat();
const COMMON_BY_HOST = Object.entries({ ...COMMON_HEADERS, Vary: VARY_BY_HOST }).flat();

/**
 * Creates the 200 response for a page, or a 304 with the same headers. RFC 9110 §13.2.2, §15.4.5; Age: RFC
 * 9111 §5.1.
 * @throws Problem (412) if If-Match fails
 */
export function pageResponse(
  { page, ageSeconds }: Pick<ServedPage, 'page' | 'ageSeconds'>,
  { encoding, bytes }: EncodedBody,
  request: PageRequest,
  cacheControl: string,
): PageResponse {
  const { legacy, variesByHost } = request;
  const precondition = evaluatePreconditions(request, page.etag);
  if (precondition === 'failed') throw preconditionFailed();
  const headers = [
    ...(variesByHost ? COMMON_BY_HOST : COMMON),
    'ETag',
    page.etag,
    'Cache-Control',
    page.cacheControl ?? cacheControl,
  ];
  const link = linksOf(page, legacy);
  if (link !== undefined) headers.push('Link', link);
  if (legacy) headers.push('Deprecation', legacy.deprecation);
  if (ageSeconds > 0) headers.push('Age', String(ageSeconds));
  if (precondition === 'not-modified') return { status: 304, headers, body: undefined };
  headers.push('Content-Type', page.contentType, 'Content-Length', String(bytes.length));
  if (encoding !== undefined) headers.push('Content-Encoding', encoding);
  return { status: 200, headers, body: bytes };
}

/** RFC 9110 §15.5.13. */
const preconditionFailed = (): Problem =>
  new Problem(
    'precondition-failed',
    'If-Match does not match. Only `*` can match, because entity tags of this service are weak.',
  );

function linksOf({ link }: Page, legacy: LegacyHeaders | undefined): string | undefined {
  if (!legacy) return link;
  return link === undefined ? legacy.link : `${legacy.link}, ${link}`;
}

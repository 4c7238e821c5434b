import { namesEtag } from './etag.ts';
import type { CodedBody, Page } from './page.ts';
import type { Served } from './page-cache.ts';
import { COMMON_HEADERS } from './problem.ts';

/** What is asked of a page that is there. */
export interface PageRequest {
  ifNoneMatch: string | undefined;
  /** The links that the spelling of the request calls for, before the page's own. */
  legacy: LegacyHeaders | undefined;
}

/** What a request with legacy names is told; it is about the spelling, so it is no part of a page. */
export interface LegacyHeaders {
  deprecation: string;
  link: string;
}

/** An answer, its headers as name after value: what Node writes fastest. */
export interface PageAnswer {
  status: 200 | 304;
  headers: string[];
  body: Buffer | undefined;
}

const COMMON = Object.entries(COMMON_HEADERS).flat();

/**
 * 200, or 304 with the headers that the 200 would have had where the request names the entity tag.
 * RFC 9110 §13.1.2, §15.4.5; Age: RFC 9111 §5.1.
 */
export function pageAnswer({ page, ageSeconds }: Served, { coding, bytes }: CodedBody, request: PageRequest, cacheControl: string): PageAnswer {
  const { ifNoneMatch, legacy } = request;
  const headers = [...COMMON, 'ETag', page.etag, 'Cache-Control', cacheControl];
  const link = linksOf(page, legacy);
  if (link !== undefined) headers.push('Link', link);
  if (legacy) headers.push('Deprecation', legacy.deprecation);
  if (ageSeconds > 0) headers.push('Age', String(ageSeconds));
  if (ifNoneMatch !== undefined && (ifNoneMatch === page.etag || namesEtag(ifNoneMatch, page.etag))) return { status: 304, headers, body: undefined };
  headers.push('Content-Type', 'application/json', 'Content-Length', String(bytes.length));
  if (coding !== undefined) headers.push('Content-Encoding', coding);
  return { status: 200, headers, body: bytes };
}

function linksOf({ link }: Page, legacy: LegacyHeaders | undefined): string | undefined {
  if (!legacy) return link;
  return link === undefined ? legacy.link : `${legacy.link}, ${link}`;
}

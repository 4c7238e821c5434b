import { evaluatePreconditions, type Preconditions } from './conditional-request.ts';
import type { CodedBody, Page } from './page.ts';
import type { Served } from './page-cache.ts';
import { COMMON_HEADERS, Problem } from './problem.ts';

/** The parts of a request that select the response to it, once its page is there. */
export interface PageRequest extends Preconditions {
  /** The headers that the spelling of the request calls for, before the page's own. */
  legacy: LegacyHeaders | undefined;
}

/** The notice to a request with legacy names. It depends on the spelling, so it is no part of a page. */
export interface LegacyHeaders {
  deprecation: string;
  link: string;
}

/** A response, its headers as name after value: the form that Node writes fastest. */
export interface PageAnswer {
  status: 200 | 304;
  headers: string[];
  body: Buffer | undefined;
}

const COMMON = Object.entries(COMMON_HEADERS).flat();

/**
 * 200, or 304 with the headers that the 200 would have had. RFC 9110 §13.2.2, §15.4.5; Age: RFC 9111 §5.1.
 * @throws Problem (412) when If-Match fails
 */
export function pageAnswer(
  { page, ageSeconds }: Pick<Served, 'page' | 'ageSeconds'>,
  { coding, bytes }: CodedBody,
  request: PageRequest,
  cacheControl: string,
): PageAnswer {
  const { legacy } = request;
  const precondition = evaluatePreconditions(request, page.etag);
  if (precondition === 'failed') throw preconditionFailed();
  const headers = [...COMMON, 'ETag', page.etag, 'Cache-Control', cacheControl];
  const link = linksOf(page, legacy);
  if (link !== undefined) headers.push('Link', link);
  if (legacy) headers.push('Deprecation', legacy.deprecation);
  if (ageSeconds > 0) headers.push('Age', String(ageSeconds));
  if (precondition === 'not-modified') return { status: 304, headers, body: undefined };
  headers.push('Content-Type', page.contentType, 'Content-Length', String(bytes.length));
  if (coding !== undefined) headers.push('Content-Encoding', coding);
  return { status: 200, headers, body: bytes };
}

/** RFC 9110 §15.5.13. */
const preconditionFailed = (): Problem => new Problem(412, 'If-Match names another representation: entity tags here are weak, so only `*` matches.');

function linksOf({ link }: Page, legacy: LegacyHeaders | undefined): string | undefined {
  if (!legacy) return link;
  return link === undefined ? legacy.link : `${legacy.link}, ${link}`;
}

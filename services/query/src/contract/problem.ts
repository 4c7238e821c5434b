import { listAdTypes } from '@vitrine/feed-index/ad-types';
import type { BadParameter } from '../filters/filter.ts';
import type { ProblemDetails } from './feed-schema.ts';
import { ALLOWED_METHODS, MAX_URL_BYTES } from './operations.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/**
 * The headers of every response, including responses that Koa does not create. These headers allow any web
 * page to read the responses, and tell clients not to guess the content type. A 304 needs Vary too (RFC 9110
 * §15.4.5).
 */
export const COMMON_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Link, Deprecation, Age, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept-Encoding',
} as const satisfies Record<string, string>;

/** The `Vary` header of a response that contains the request's host. */
export const VARY_BY_HOST = `${COMMON_HEADERS.Vary}, Host`;

/**
 * Every type of problem that the public port sends, by the name of its page
 * (docs/decisions/0132-problem-types.md). The compiler refuses a problem of any other type.
 */
export const PROBLEM_TYPES = {
  'invalid-parameters': { status: 400, title: 'Invalid query parameters' },
  'page-too-large': { status: 400, title: 'The page is too large' },
  'malformed-request': { status: 400, title: 'Malformed request' },
  'unknown-path': { status: 404, title: 'Unknown path' },
  'unknown-ad-type': { status: 404, title: 'Unknown ad type' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'request-timeout': { status: 408, title: 'The request took too long' },
  'expired-change-number': { status: 410, title: 'Expired change number' },
  'precondition-failed': { status: 412, title: 'Precondition failed' },
  'content-too-large': { status: 413, title: 'Request body too large' },
  'uri-too-long': { status: 414, title: 'Request URL too long' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'headers-too-large': { status: 431, title: 'Request headers too large' },
  'internal-error': { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Feed unavailable' },
  overloaded: { status: 503, title: 'Too many requests at the same time' },
  'rebuild-needed': { status: 503, title: 'Not in the index yet' },
} as const satisfies Record<string, { status: number; title: string }>;

/** The name of a problem type, which is the last segment of its page's path. */
export type ProblemType = keyof typeof PROBLEM_TYPES;

/**
 * Returns the beginning of every problem's `type` (RFC 9457 §3.1.1). The name of the problem's type follows
 * it.
 * @param publicUrl the setting PUBLIC_URL. If it is undefined, the type is a relative reference.
 */
export const problemPages = (basePath: string, publicUrl?: string): string =>
  `${publicUrl ?? ''}${basePath}/docs/errors/`;

/** The reason for an error response. Clients see only the type, the detail, the headers and the errors. */
export class Problem extends Error {
  readonly type: ProblemType;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: BadParameter[] | undefined;

  constructor(
    type: ProblemType,
    detail: string,
    more: { headers?: Record<string, string>; errors?: BadParameter[]; cause?: unknown } = {},
  ) {
    super(detail, { cause: more.cause });
    this.name = 'Problem';
    this.type = type;
    this.status = PROBLEM_TYPES[type].status;
    this.headers = more.headers ?? {};
    this.errors = more.errors;
  }

  /** Returns the problem details document. RFC 9457 §3. @param pages from `problemPages` */
  details(pages: string): ProblemDetails {
    const { type, message: detail, errors } = this;
    const { title, status } = PROBLEM_TYPES[type];
    return { type: `${pages}${type}`, title, status, detail, ...(errors && { errors }) };
  }
}

/**
 * Returns the headers and the body of a problem document that Koa does not send.
 * @param pages from `problemPages`
 * @param more the headers that precede the problem's headers
 */
export function problemResponse(problem: Problem, pages: string, more: Record<string, string> = {}) {
  const body = JSON.stringify(problem.details(pages));
  const headers: Record<string, string> = {
    ...COMMON_HEADERS,
    'Cache-Control': 'no-store',
    'Content-Type': PROBLEM_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    ...more,
    ...problem.headers,
  };
  return { headers, body };
}

export const invalidParameters = (errors: BadParameter[]): Problem =>
  new Problem('invalid-parameters', 'The request has invalid query parameters.', { errors });

/** RFC 9110 §15.5.6. */
export const methodNotAllowed = (): Problem =>
  new Problem('method-not-allowed', `The allowed methods are ${ALLOWED_METHODS}.`, {
    headers: { Allow: ALLOWED_METHODS },
  });

/** RFC 9110 §15.5.15. */
export const uriTooLong = (): Problem =>
  new Problem('uri-too-long', `The request target exceeds ${MAX_URL_BYTES} bytes.`);

/** The detail of the 404 response for an unknown ad type. */
export const UNKNOWN_AD_TYPE = `The ad types are ${listAdTypes('and', (name, { aliases }) =>
  aliases.length > 0 ? `${name} (or ${aliases.join(', ')})` : name,
)}.`;

/** The detail of the 410 response from `/changes`. Rule: docs/reference/rules.md#changes. */
export const EXPIRED =
  'The changes after this change number are no longer kept. Start over with an export, or with the changes from ' +
  'the beginning.';

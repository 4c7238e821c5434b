import { STATUS_CODES } from 'node:http';
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

/** `Vary` of a response that contains the host of the request. */
export const VARY_BY_HOST = `${COMMON_HEADERS.Vary}, Host`;

/** The reason for an error response. The client sees only the given status, detail, headers and errors. */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: BadParameter[] | undefined;

  constructor(
    status: number,
    detail: string,
    more: { headers?: Record<string, string>; errors?: BadParameter[]; cause?: unknown } = {},
  ) {
    super(detail, { cause: more.cause });
    this.name = 'Problem';
    this.status = status;
    this.headers = more.headers ?? {};
    this.errors = more.errors;
  }

  /** The problem details document as JSON. RFC 9457 §3. */
  get body(): string {
    const { status, message: detail, errors } = this;
    const details: ProblemDetails = {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail,
      ...(errors && { errors }),
    };
    return JSON.stringify(details);
  }
}

/**
 * The headers of a problem document that Koa does not send.
 * @param more precedes the headers of the problem
 */
export const problemHeaders = (
  { headers, body }: Problem,
  more: Record<string, string> = {},
): Record<string, string> => ({
  ...COMMON_HEADERS,
  'Cache-Control': 'no-store',
  'Content-Type': PROBLEM_TYPE,
  'Content-Length': String(Buffer.byteLength(body)),
  ...more,
  ...headers,
});

export const invalidParameters = (errors: BadParameter[]): Problem =>
  new Problem(400, 'The request has invalid query parameters.', { errors });

/** RFC 9110 §15.5.6. */
export const methodNotAllowed = (): Problem =>
  new Problem(405, `The allowed methods are ${ALLOWED_METHODS}.`, { headers: { Allow: ALLOWED_METHODS } });

/** RFC 9110 §15.5.15. */
export const uriTooLong = (): Problem =>
  new Problem(414, `The request target exceeds ${MAX_URL_BYTES} bytes.`);

/** The detail of the 404 response for an unknown ad type. */
export const UNKNOWN_AD_TYPE = `The ad types are ${listAdTypes('and', (name, { aliases }) =>
  aliases.length > 0 ? `${name} (or ${aliases.join(', ')})` : name,
)}.`;

/** The detail of the 410 response of `/changes`. Rule: docs/reference/rules.md#changes. */
export const EXPIRED =
  'The changes after this change number are no longer kept. Start over with an export, or with the changes from ' +
  'the beginning.';

import { ALLOWED_METHODS } from '../contract/operations.ts';
import { COMMON_HEADERS } from '../contract/problem.ts';
import { DEPRECATION, deprecationLink } from '../request/deprecation.ts';
import { pageLinks } from '../response/page-links.ts';
import type { Header, Reference } from './openapi-types.ts';

const text = (pattern: string) => ({ type: 'string', pattern });
const constant = (value: string) => ({ type: 'string', const: value });

const EXAMPLE_META = { page: 2, pageSize: 20, pageCount: 3, total: 57, endpoint: 'public-feed' };

/**
 * The headers of responses, except the basic ones of HTTP, by component name.
 * @param base PUBLIC_URL + BASE_PATH; BASE_PATH alone without PUBLIC_URL
 */
export function componentHeaders(base: string): Record<string, Header> {
  return {
    ETag: {
      description:
        'Weak entity tag of the content without `generatedAt`. Equal content has the same tag on every ' +
        'server and in every content encoding (RFC 9110 §8.8.3).',
      required: true,
      schema: text('^W/"[A-Za-z0-9_-]{43}"$'),
    },
    CacheControl: {
      description:
        'How long a cache may serve this copy, also while it refreshes it or while refreshing fails (RFC ' +
        '9111 §5.2.2, RFC 5861).',
      required: true,
      schema: text('^public, max-age=[0-9]+, stale-while-revalidate=[0-9]+, stale-if-error=[0-9]+$'),
      example: 'public, max-age=5, stale-while-revalidate=10, stale-if-error=300',
    },
    Age: {
      description:
        'Seconds since a search last confirmed this copy. Left out below one second (RFC 9111 §5.1).',
      schema: text('^[1-9][0-9]*$'),
      example: '3',
    },
    RateLimitPolicy: {
      description:
        'Requests per client (`q`) and window in seconds (`w`). Absent without a limit ' +
        '(draft-ietf-httpapi-ratelimit-headers).',
      schema: text('^"client";q=[1-9][0-9]*;w=[1-9][0-9]*$'),
      example: '"client";q=12000;w=60',
    },
    RateLimit: {
      description:
        'Requests left to this client (`r`) and seconds until the next window (`t`) ' +
        '(draft-ietf-httpapi-ratelimit-headers).',
      schema: text('^"client";r=[0-9]+;t=[1-9][0-9]*$'),
      example: '"client";r=11999;t=60',
    },
    XRequestId: {
      description:
        'The id of this request in the log of the service: the `X-Request-Id` of the request (1 to 128 of ' +
        '`A-Z a-z 0-9 . _ ~ : + / = @ -`) or a new one. A response from a cache may have none.',
      schema: text('^[A-Za-z0-9._~:+/=@-]{1,128}$'),
      example: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    },
    NoStore: { description: 'Caches must not store errors.', required: true, schema: constant('no-store') },
    Link: {
      description:
        'The pages `first`, `prev`, `next` and `last` with the filters of the request, as relative ' +
        'references that begin with the last path segment (RFC 8288). A request with a legacy name also ' +
        'receives `deprecation` (RFC 9745).',
      schema: text('^<[^<>]*>; rel="'),
      example: pageLinks({ feed: 'public-feed', page: 2, pageSize: 20 }, EXAMPLE_META),
    },
    DeprecationLink: {
      description:
        'After a request with a legacy name: the section of this reference about these names (RFC 9745 §3).',
      schema: text('rel="deprecation"'),
      example: deprecationLink(base),
    },
    Deprecation: {
      description:
        'After a request with a legacy name: the date on which these names were deprecated, as a ' +
        'structured date (RFC 9745 §2).',
      schema: constant(DEPRECATION),
    },
    RetryAfter: {
      description: 'Seconds after which the client may repeat the request (RFC 9110 §10.2.3).',
      required: true,
      schema: text('^[1-9][0-9]*$'),
      example: '5',
    },
    Allow: {
      description: 'With 405: the methods of every path (RFC 9110 §10.2.1).',
      schema: constant(ALLOWED_METHODS),
    },
    ContentEncoding: {
      description: 'The encoding of the body, if any (RFC 9110 §8.4).',
      schema: { type: 'string', enum: ['br', 'zstd', 'gzip'] },
    },
    ...Object.fromEntries(
      Object.entries(COMMON_HEADERS).map(([name, value]) => [
        componentName(name),
        { description: COMMON_DESCRIPTIONS[name] ?? '', required: true, schema: constant(value) },
      ]),
    ),
  };
}

const COMMON_DESCRIPTIONS: Record<string, string> = {
  'Access-Control-Allow-Origin': 'Any web page may read the feeds.',
  'Access-Control-Expose-Headers': 'The headers that such a page may read.',
  'X-Content-Type-Options': 'The client must not guess another content type.',
  Vary: 'The request selects the content encoding (br, zstd, gzip) (RFC 9110 §12.5.5).',
};

const componentName = (header: string): string => header.replaceAll('-', '');
const reference = (component: string): Reference => ({ $ref: `#/components/headers/${component}` });

const COMMON = {
  ...Object.fromEntries(Object.keys(COMMON_HEADERS).map((name) => [name, reference(componentName(name))])),
  'RateLimit-Policy': reference('RateLimitPolicy'),
  RateLimit: reference('RateLimit'),
  'X-Request-Id': reference('XRequestId'),
};
const LEGACY = { Deprecation: reference('Deprecation') };

/** The headers of a response that a cache may store. */
export const FEED_HEADERS: Record<string, Reference> = {
  ETag: reference('ETag'),
  'Cache-Control': reference('CacheControl'),
  Age: reference('Age'),
  Link: reference('Link'),
  ...LEGACY,
  ...COMMON,
};

/** The headers of a response whose body may be compressed. */
export const ENCODED_HEADERS: Record<string, Reference> = {
  ...FEED_HEADERS,
  'Content-Encoding': reference('ContentEncoding'),
};

/** The headers of an error response. @param more headers that belong to its status */
export const refusalHeaders = (...more: ('Retry-After' | 'Allow')[]): Record<string, Reference> => ({
  'Cache-Control': reference('NoStore'),
  ...Object.fromEntries(more.map((name) => [name, reference(componentName(name))])),
  ...COMMON,
});

/** The headers of an error response after the query was read: also the notice about legacy names. */
export const queryRefusalHeaders = (...more: ('Retry-After' | 'Allow')[]): Record<string, Reference> => ({
  ...refusalHeaders(...more),
  Link: reference('DeprecationLink'),
  ...LEGACY,
});

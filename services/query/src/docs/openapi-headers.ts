import type { Header, Reference } from '@vitrine/web';
import { ALLOWED_METHODS, DOCUMENT_CACHE_CONTROL } from '../contract/operations.ts';
import { COMMON_HEADERS, VARY_BY_HOST } from '../contract/problem.ts';
import { DEPRECATION, deprecationLink } from '../request/deprecation.ts';
import { pageLinks } from '../response/page-links.ts';
import { reference } from './openapi-parts.ts';

const text = (pattern: string) => ({ type: 'string', pattern });
const constant = (value: string) => ({ type: 'string', const: value });

const EXAMPLE_META = { page: 2, pageSize: 20, pageCount: 3, total: 57, endpoint: 'public-feed' };

/**
 * Describes the response headers, except the basic HTTP headers, by component name.
 * @param base PUBLIC_URL + BASE_PATH, or only BASE_PATH if PUBLIC_URL is not set
 */
export function componentHeaders(base: string): Record<string, Header> {
  return {
    ETag: {
      description:
        'Weak entity tag of the content, except `generatedAt`. Equal content has the same tag on every ' +
        'server and in every content encoding (RFC 9110 §8.8.3).',
      required: true,
      schema: text('^W/"[A-Za-z0-9_-]{43}"$'),
    },
    CacheControl: {
      description:
        'How long a cache may serve this copy as fresh, during a refresh, and after a failed refresh, in ' +
        'seconds (RFC 9111 §5.2.2, RFC 5861).',
      required: true,
      schema: text('^public, max-age=[0-9]+, stale-while-revalidate=[0-9]+, stale-if-error=[0-9]+$'),
      example: 'public, max-age=5, stale-while-revalidate=10, stale-if-error=300',
    },
    DocumentCacheControl: {
      description: 'Caches may keep the document for five minutes.',
      required: true,
      schema: constant(DOCUMENT_CACHE_CONTROL),
    },
    Age: {
      description:
        'Seconds since a search last confirmed this copy. Absent if less than one second (RFC 9111 §5.1).',
      schema: text('^[1-9][0-9]*$'),
      example: '3',
    },
    RateLimitPolicy: {
      description:
        'Maximum number of requests per client (`q`) in a window of `w` seconds. Absent if the service ' +
        'sets no limit (draft-ietf-httpapi-ratelimit-headers).',
      schema: text('^"client";q=[1-9][0-9]*;w=[1-9][0-9]*$'),
      example: '"client";q=12000;w=60',
    },
    RateLimit: {
      description:
        'The client has `r` requests left. The next window begins in `t` seconds ' +
        '(draft-ietf-httpapi-ratelimit-headers).',
      schema: text('^"client";r=[0-9]+;t=[1-9][0-9]*$'),
      example: '"client";r=11999;t=60',
    },
    XRequestId: {
      description:
        "The id of this request in the service's log. The service adopts the `X-Request-Id` of the " +
        'request if it consists of 1 to 128 characters from `A-Z a-z 0-9 . _ ~ : + / = @ -`, and otherwise ' +
        'generates an id. A cached response may lack this header.',
      schema: text('^[A-Za-z0-9._~:+/=@-]{1,128}$'),
      example: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    },
    NoStore: { description: 'Caches must not store errors.', required: true, schema: constant('no-store') },
    Link: {
      description:
        "Links to the pages `first`, `prev`, `next` and `last` with the request's filters (RFC 8288), to the " +
        'OpenAPI document (`service-desc`) and to the API reference (`service-doc`, RFC 8631). They are relative ' +
        'references: those of pages begin with the last path segment. The response to a request with a legacy ' +
        'name also contains the link `deprecation` (RFC 9745).',
      schema: text('^<[^<>]*>; rel="'),
      example: pageLinks({ feed: 'public-feed', page: 2, pageSize: 20 }, EXAMPLE_META),
    },
    DeprecationLink: {
      description:
        'Link to the documentation of legacy names. Present if the request used a legacy name (RFC 9745 §3).',
      schema: text('rel="deprecation"'),
      example: deprecationLink(base),
    },
    Deprecation: {
      description:
        'Date on which the legacy names were deprecated, as a structured date. Present if the request used ' +
        'a legacy name (RFC 9745 §2).',
      schema: constant(DEPRECATION),
    },
    RetryAfter: {
      description: 'Seconds after which the client may retry (RFC 9110 §10.2.3).',
      required: true,
      schema: text('^[1-9][0-9]*$'),
      example: '5',
    },
    Allow: {
      description: 'Methods that every path allows. Present if the status is 405 (RFC 9110 §10.2.1).',
      schema: constant(ALLOWED_METHODS),
    },
    ContentEncoding: {
      description: 'Content encoding of the body. Absent if the body is not encoded (RFC 9110 §8.4).',
      schema: { type: 'string', enum: ['br', 'zstd', 'gzip'] },
    },
    ...Object.fromEntries(
      Object.entries(COMMON_HEADERS).map(([name, value]) => [
        componentName(name),
        { description: COMMON_DESCRIPTIONS[name] ?? '', required: true, schema: constant(value) },
      ]),
    ),
    Vary: {
      description: COMMON_DESCRIPTIONS['Vary'] ?? '',
      required: true,
      schema: { type: 'string', enum: [COMMON_HEADERS.Vary, VARY_BY_HOST] },
    },
  };
}

const COMMON_DESCRIPTIONS: Record<string, string> = {
  'Access-Control-Allow-Origin': 'Any web page may read the feeds.',
  'Access-Control-Expose-Headers': 'Response headers that a web page of another origin may read.',
  'X-Content-Type-Options': 'Tells the client not to guess another content type.',
  Vary:
    'Tells caches that `Accept-Encoding` selects the encoding of the body (RFC 9110 §12.5.5). It also contains ' +
    '`Host` if the response contains the host of the request.',
};

const componentName = (header: string): string => header.replaceAll('-', '');
const header = (component: string): Reference => reference('headers', component);

const COMMON = {
  ...Object.fromEntries(Object.keys(COMMON_HEADERS).map((name) => [name, header(componentName(name))])),
  'RateLimit-Policy': header('RateLimitPolicy'),
  RateLimit: header('RateLimit'),
  'X-Request-Id': header('XRequestId'),
};
const LEGACY = { Deprecation: header('Deprecation') };

/** The headers of a response that a cache may store. */
export const FEED_HEADERS: Record<string, Reference> = {
  ETag: header('ETag'),
  'Cache-Control': header('CacheControl'),
  Age: header('Age'),
  Link: header('Link'),
  ...LEGACY,
  ...COMMON,
};

/** The headers of a document that changes only with a new version of the service. */
export const DOCUMENT_HEADERS: Record<string, Reference> = {
  ETag: header('ETag'),
  'Cache-Control': header('DocumentCacheControl'),
  ...COMMON,
};

/** The headers of a response whose body may be compressed. */
export const ENCODED_HEADERS: Record<string, Reference> = {
  ...FEED_HEADERS,
  'Content-Encoding': header('ContentEncoding'),
};

/** Lists the headers of an error response. @param more headers that belong to the response's status */
export const refusalHeaders = (...more: ('Retry-After' | 'Allow')[]): Record<string, Reference> => ({
  'Cache-Control': header('NoStore'),
  ...Object.fromEntries(more.map((name) => [name, header(componentName(name))])),
  ...COMMON,
});

/**
 * Lists the headers of an error response that the service sends after it has read the query, including those
 * about legacy names.
 */
export const queryRefusalHeaders = (...more: ('Retry-After' | 'Allow')[]): Record<string, Reference> => ({
  ...refusalHeaders(...more),
  Link: header('DeprecationLink'),
  ...LEGACY,
});

import { DEPRECATION, deprecationLink } from './deprecation.ts';
import type { Header, Reference } from './openapi-types.ts';
import { ALLOWED_METHODS } from './operations.ts';
import { COMMON_HEADERS } from './problem.ts';

const text = (pattern: string) => ({ type: 'string', pattern });
const constant = (value: string) => ({ type: 'string', const: value });

/** Every header that an answer may have beyond those of HTTP itself, by its component's name. */
export function componentHeaders(basePath: string): Record<string, Header> {
  return {
    ETag: {
      description:
        'Weak entity tag over the content without `generatedAt`: equal for equal content, on every server, in every coding (RFC 9110 §8.8.3).',
      required: true,
      schema: text('^W/"[A-Za-z0-9_-]{43}"$'),
    },
    CacheControl: {
      description: 'How long a cache may serve this copy, also while it asks again or gets no answer (RFC 9111 §5.2.2, RFC 5861).',
      required: true,
      schema: text('^public, max-age=[0-9]+, stale-while-revalidate=[0-9]+, stale-if-error=[0-9]+$'),
      example: 'public, max-age=5, stale-while-revalidate=10, stale-if-error=300',
    },
    Age: {
      description: 'Seconds since this copy was last known to be what a search gives, where that is a second or more (RFC 9111 §5.1).',
      schema: text('^[1-9][0-9]*$'),
      example: '3',
    },
    RateLimitPolicy: {
      description: 'How many requests a client has in how many seconds (draft-ietf-httpapi-ratelimit-headers); absent where there is no limit.',
      schema: text('^"client";q=[1-9][0-9]*;w=[1-9][0-9]*$'),
      example: '"client";q=12000;w=60',
    },
    RateLimit: {
      description: 'How many of them are left to this client, and seconds until all are again (draft-ietf-httpapi-ratelimit-headers).',
      schema: text('^"client";r=[0-9]+;t=[1-9][0-9]*$'),
      example: '"client";r=11999;t=60',
    },
    XRequestId: {
      description:
        'The id under which the service logs this request: what the request had as `X-Request-Id` (1 to 128 of `A-Z a-z 0-9 . _ ~ : + / = @ -`), else one of its own. An answer from a cache may have none.',
      schema: text('^[A-Za-z0-9._~:+/=@-]{1,128}$'),
      example: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    },
    NoStore: { description: 'Refusals are not to be kept.', required: true, schema: constant('no-store') },
    Link: {
      description:
        'The pages `first`, `prev`, `next` and `last` with the filters of the request, as relative references (RFC 8288); where a legacy name was used, `deprecation` too (RFC 9745).',
      schema: text('^<[^>]*>; rel="'),
      example: '</api/public-feed?page=1>; rel="first", </api/public-feed?page=3>; rel="next"',
    },
    DeprecationLink: {
      description: 'Where a legacy name was used: the section of this reference about them (RFC 9745 §3).',
      schema: text('rel="deprecation"'),
      example: deprecationLink(basePath),
    },
    Deprecation: {
      description: 'Where a legacy parameter name was used: since when these names are deprecated, as a structured date (RFC 9745 §2).',
      schema: constant(DEPRECATION),
    },
    RetryAfter: {
      description: 'Seconds after which the request may be made again (RFC 9110 §10.2.3).',
      required: true,
      schema: text('^[1-9][0-9]*$'),
      example: '5',
    },
    Allow: { description: 'The methods that every path takes (RFC 9110 §10.2.1).', required: true, schema: constant(ALLOWED_METHODS) },
    ContentEncoding: { description: 'The coding of the body, if any (RFC 9110 §8.4).', schema: { type: 'string', enum: ['br', 'zstd', 'gzip'] } },
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
  'X-Content-Type-Options': 'The content type is as it says.',
  Vary: 'Answers are compressed (br, zstd, gzip) as the request wishes (RFC 9110 §12.5.5).',
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

/** The headers of an answer that a cache may keep. */
export const FEED_HEADERS: Record<string, Reference> = {
  ETag: reference('ETag'),
  'Cache-Control': reference('CacheControl'),
  Age: reference('Age'),
  Link: reference('Link'),
  ...LEGACY,
  ...COMMON,
};

/** The headers of a body that may be compressed. */
export const CODED_HEADERS: Record<string, Reference> = { ...FEED_HEADERS, 'Content-Encoding': reference('ContentEncoding') };

/** The headers of a refusal by the service, and those that come with its status. */
export const refusalHeaders = (...more: ('Retry-After' | 'Allow')[]): Record<string, Reference> => ({
  'Cache-Control': reference('NoStore'),
  ...Object.fromEntries(more.map((name) => [name, reference(componentName(name))])),
  ...COMMON,
});

/** The same, of a request whose query was read. */
export const queryRefusalHeaders = (...more: ('Retry-After' | 'Allow')[]): Record<string, Reference> => ({
  ...refusalHeaders(...more),
  Link: reference('DeprecationLink'),
  ...LEGACY,
});

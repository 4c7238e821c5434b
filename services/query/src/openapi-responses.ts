import { FEED_EXAMPLES, type PROBLEM_EXAMPLES } from './openapi-examples.ts';
import { CODED_HEADERS, FEED_HEADERS, queryRefusalHeaders, refusalHeaders } from './openapi-headers.ts';
import type { Reference, Response } from './openapi-types.ts';
import type { FeedOperation } from './operations.ts';
import { PROBLEM_TYPE } from './problem.ts';

const refusal = (example: keyof typeof PROBLEM_EXAMPLES, description: string, headers: Record<string, Reference>): Response => ({
  description,
  headers,
  content: {
    [PROBLEM_TYPE]: {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: { [example]: { $ref: `#/components/examples/${example}` } },
    },
  },
});

/** Every answer but the feed itself, by its component's name. RFC 9110 §15, RFC 6585, RFC 9457. */
export const COMPONENT_RESPONSES: Record<string, Response> = {
  NotModified: { description: 'The client has this page already: its `If-None-Match` names it.', headers: FEED_HEADERS },
  BadRequest: refusal('badParameters', 'Bad query parameters, all of them at once in `errors`, or no HTTP request at all.', queryRefusalHeaders()),
  NotFound: refusal('unknownAdType', 'There is no such path or ad type.', queryRefusalHeaders()),
  MethodNotAllowed: refusal('methodNotAllowed', 'The feeds are read only.', refusalHeaders('Allow')),
  RequestTimeout: refusal('requestTimeout', 'The request was not all there in time.', refusalHeaders()),
  ContentTooLarge: refusal('contentTooLarge', 'A request in chunks carries too much beside them.', refusalHeaders()),
  UriTooLong: refusal('uriTooLong', 'The request target is too long.', refusalHeaders()),
  TooManyRequests: refusal('tooManyRequests', 'This client has made too many requests in this minute.', refusalHeaders('Retry-After')),
  HeadersTooLarge: refusal('headersTooLarge', 'The request line and headers are too large.', refusalHeaders()),
  InternalError: refusal('internalError', 'A fault of the service; no request is known that leads here.', queryRefusalHeaders()),
  Unavailable: refusal(
    'unavailable',
    'The feed cannot be read at the moment, or there are more requests than can be answered in good time.',
    queryRefusalHeaders('Retry-After'),
  ),
};

const BY_STATUS: Record<string, keyof typeof COMPONENT_RESPONSES> = {
  304: 'NotModified',
  400: 'BadRequest',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  413: 'ContentTooLarge',
  414: 'UriTooLong',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'InternalError',
  503: 'Unavailable',
};

/** Every answer of one operation, by its status. */
export function operationResponses({ id, byType }: FeedOperation): Record<string, Response | Reference> {
  const others = Object.entries(BY_STATUS).filter(([status]) => byType || status !== '404');
  const examples = FEED_EXAMPLES.filter(({ operation }) => operation === id);
  return {
    200: {
      description: 'A page of the feed.',
      headers: CODED_HEADERS,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/FeedResponse' },
          examples: Object.fromEntries(examples.map(({ name }) => [name, { $ref: `#/components/examples/${name}` }])),
        },
      },
    },
    ...Object.fromEntries(others.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }])),
  };
}

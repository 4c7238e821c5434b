import type { FeedOperation } from '../contract/operations.ts';
import { PROBLEM_TYPE } from '../contract/problem.ts';
import { FEED_EXAMPLES, type PROBLEM_EXAMPLES } from './openapi-examples.ts';
import { ENCODED_HEADERS, FEED_HEADERS, queryRefusalHeaders, refusalHeaders } from './openapi-headers.ts';
import type { Reference, Response } from './openapi-types.ts';

type ProblemExample = keyof typeof PROBLEM_EXAMPLES;

const problem = (
  examples: ProblemExample[],
  description: string,
  headers: Record<string, Reference>,
): Response => ({
  description,
  headers,
  content: {
    [PROBLEM_TYPE]: {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(examples.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
    },
  },
});

/**
 * Every response except the feed itself, by component name. RFC 9110 §15, RFC 6585, RFC 9457. A status has
 * its own entry only if clients handle it differently from other errors (docs/decisions/0027-clients.md).
 */
export const COMPONENT_RESPONSES: Record<string, Response> = {
  NotModified: {
    description: 'The client has this page already: `If-None-Match` names its entity tag.',
    headers: FEED_HEADERS,
  },
  BadRequest: problem(
    ['badParameters'],
    'Bad query parameters, all of them in `errors`, or a malformed HTTP request.',
    queryRefusalHeaders(),
  ),
  NotFound: problem(['unknownAdType'], 'Unknown path or ad type.', queryRefusalHeaders()),
  TooManyRequests: problem(
    ['tooManyRequests'],
    'The client has used up its requests. It may repeat the request after the seconds in `Retry-After`.',
    refusalHeaders('Retry-After'),
  ),
  Unavailable: problem(
    ['unavailable'],
    'The feed cannot be read now, or the service has too many requests. The client may repeat the request ' +
      'after the seconds in `Retry-After`.',
    queryRefusalHeaders('Retry-After'),
  ),
  OtherError: problem(
    [
      'methodNotAllowed',
      'requestTimeout',
      'preconditionFailed',
      'contentTooLarge',
      'uriTooLong',
      'headersTooLarge',
      'internalError',
    ],
    'Any other error. The same request will not succeed if it is repeated, except after 408 and 500.',
    queryRefusalHeaders('Allow'),
  ),
};

const BY_STATUS: Record<string, keyof typeof COMPONENT_RESPONSES> = {
  304: 'NotModified',
  400: 'BadRequest',
  404: 'NotFound',
  429: 'TooManyRequests',
  503: 'Unavailable',
  default: 'OtherError',
};

/** Every response of one operation, by status. */
export function operationResponses({
  id,
  feed,
  byType,
}: FeedOperation): Record<string, Response | Reference> {
  const others = Object.entries(BY_STATUS).filter(([status]) => byType || status !== '404');
  const examples = FEED_EXAMPLES.filter(({ operation }) => operation === id);
  return {
    200: {
      description: 'A page of the feed.',
      headers: ENCODED_HEADERS,
      content: {
        'application/json': {
          schema: {
            $ref: `#/components/schemas/${feed === 'ai-feed' ? 'AgentFeedResponse' : 'FeedResponse'}`,
          },
          examples: Object.fromEntries(
            examples.map(({ name }) => [name, { $ref: `#/components/examples/${name}` }]),
          ),
        },
      },
    },
    ...Object.fromEntries(
      others.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
    ),
  };
}

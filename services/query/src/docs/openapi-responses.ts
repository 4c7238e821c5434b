import type { Reference, Response } from '@vitrine/web';
import type { FeedOperation } from '../contract/operations.ts';
import { PROBLEM_TYPE, PROBLEM_TYPES } from '../contract/problem.ts';
import { FEED_EXAMPLES } from './openapi-examples.ts';
import {
  DOCUMENT_HEADERS,
  ENCODED_HEADERS,
  FEED_HEADERS,
  queryRefusalHeaders,
  refusalHeaders,
} from './openapi-headers.ts';
import { reference, references } from './openapi-parts.ts';

/** @param statuses the statuses whose problem types are the examples */
export const problem = (
  statuses: readonly number[],
  description: string,
  headers: Record<string, Reference>,
): Response => ({
  description,
  headers,
  content: {
    [PROBLEM_TYPE]: {
      schema: reference('schemas', 'Problem'),
      examples: references(
        'examples',
        Object.entries(PROBLEM_TYPES).flatMap(([name, { status }]) =>
          statuses.includes(status) ? [name] : [],
        ),
      ),
    },
  },
});

/**
 * Describes every response except the feed itself, by component name. RFC 9110 §15, RFC 6585, RFC 9457. A
 * status has its own entry only if clients handle it differently from other errors
 * (docs/decisions/0027-clients.md).
 */
export const COMPONENT_RESPONSES: Record<string, Response> = {
  NotModified: {
    description: 'The client already has this page, because `If-None-Match` contains its entity tag.',
    headers: FEED_HEADERS,
  },
  DocumentNotModified: {
    description: 'The client already has this document, because `If-None-Match` contains its entity tag.',
    headers: DOCUMENT_HEADERS,
  },
  BadRequest: problem(
    [400],
    'The request has invalid query parameters, which `errors` lists, or is malformed HTTP.',
    queryRefusalHeaders(),
  ),
  NotFound: problem([404], 'The path or the ad type does not exist.', queryRefusalHeaders()),
  TooManyRequests: problem(
    [429],
    'The client exceeded its request limit. It may retry after the number of seconds in `Retry-After`.',
    refusalHeaders('Retry-After'),
  ),
  Unavailable: problem(
    [503],
    'The feed is temporarily unavailable, or the service is handling too many requests. The client may ' +
      'retry after the number of seconds in `Retry-After`.',
    queryRefusalHeaders('Retry-After'),
  ),
  OtherError: problem(
    [405, 408, 412, 413, 414, 431, 500],
    'Any other error. Only after 408 and 500, the same request can succeed later.',
    queryRefusalHeaders('Allow'),
  ),
};

const BY_STATUS = {
  304: 'NotModified',
  400: 'BadRequest',
  404: 'NotFound',
  429: 'TooManyRequests',
  503: 'Unavailable',
  default: 'OtherError',
};

/** Returns references to the responses with these statuses. */
export const responsesTo = (...statuses: (keyof typeof BY_STATUS)[]): Record<string, Reference> =>
  Object.fromEntries(statuses.map((status) => [status, reference('responses', BY_STATUS[status])]));

/** Describes every response of one operation, by status. */
export const operationResponses = ({
  id,
  feed,
  byType,
}: FeedOperation): Record<string, Response | Reference> => ({
  200: {
    description: 'The requested page of the feed.',
    headers: ENCODED_HEADERS,
    content: {
      'application/json': {
        schema: reference('schemas', feed === 'ai-feed' ? 'AgentFeedResponse' : 'FeedResponse'),
        examples: references(
          'examples',
          FEED_EXAMPLES.flatMap(({ name, operation }) => (operation === id ? [name] : [])),
        ),
      },
    },
  },
  ...responsesTo(304, 400, ...(byType ? ([404] as const) : []), 429, 503, 'default'),
});

import type { Header, Operation, Parameter, Reference, Response } from '@vitrine/web';
import { ChangesParameters, ExportParameters } from '../contract/changes-parameters.ts';
import { changesUrl } from '../response/changes-response.ts';
import { EXPORT_TYPE } from '../response/export-lines.ts';
import { CHANGES_EXAMPLES, EXPORT_EXAMPLE } from './changes-examples.ts';
import { ENCODED_HEADERS, FEED_HEADERS, refusalHeaders } from './openapi-headers.ts';
import { queryParameter, reference, references } from './openapi-parts.ts';
import { problem, responsesTo } from './openapi-responses.ts';

export const CHANGES_TAG = {
  name: 'changes',
  description:
    'An export of all items, and every later change and removal (RPDE 1.0), so that a client never has to crawl ' +
    'the feeds again.',
};

/** The query parameters for changes and exports, by component name. */
export const CHANGES_PARAMETERS: Record<string, Parameter> = Object.fromEntries(
  Object.entries({ ...ChangesParameters.properties, ...ExportParameters.properties }).map(
    ([name, property]) => [name, queryParameter(name, property)],
  ),
);

/** The response headers for changes and exports that differ from those for the feeds, by component name. */
export const changesHeaders = (base: string): Record<string, Header> => ({
  ChangesCacheControl: {
    description: 'Caches may keep a full page for one hour, and any other page for 2 s.',
    required: true,
    schema: { type: 'string', enum: ['public, max-age=3600', 'public, max-age=2'] },
  },
  ContinueLink: {
    description:
      'Link with `rel="next"` to the changes with which the client continues after the export (RFC 8288).',
    required: true,
    schema: { type: 'string', pattern: '^<[^<>]+>; rel="next"$' },
    example: `<${changesUrl(base, 2 ** 40 + 12)}>; rel="next"`,
  },
  StartLink: {
    description: 'Link with `rel="start"` to the export, with which the client starts over (RFC 8288).',
    required: true,
    schema: { type: 'string', pattern: '^<[^<>]+>; rel="start"$' },
    example: `<${base}/export>; rel="start"`,
  },
});

/** Removes the headers that only responses from the feeds have. */
function withoutFeedHeaders(headers: Record<string, Reference>): Record<string, Reference> {
  const { Link: _, Deprecation: __, ...others } = headers;
  return others;
}

const cacheControl = { 'Cache-Control': reference('headers', 'ChangesCacheControl') };

/** The responses that only `/changes` sends, by component name. */
export const CHANGES_RESPONSES: Record<string, Response> = {
  ChangesNotModified: {
    description: 'The client already has this page, because `If-None-Match` contains its entity tag.',
    headers: { ...withoutFeedHeaders(FEED_HEADERS), ...cacheControl },
  },
  Gone: problem(
    [410],
    'The changes after this change number are no longer kept. The client starts over with the export that `Link` ' +
      'names.',
    { ...refusalHeaders(), Link: reference('headers', 'StartLink') },
  ),
};

const REFUSALS = responsesTo(400, 429, 503, 'default');

/** Describes both operations by path. */
export const CHANGES_PATHS: Record<string, { get: Operation }> = {
  '/changes': {
    get: {
      operationId: 'getChanges',
      tags: [CHANGES_TAG.name],
      summary: 'Page of changes and removals',
      description:
        'The client follows `next`. An empty page means that the client is up to date; it asks again later.',
      parameters: ['afterChangeNumber', 'limit', 'IfNoneMatch'].map((name) => reference('parameters', name)),
      responses: {
        200: {
          description: 'A page of changes.',
          headers: { ...withoutFeedHeaders(ENCODED_HEADERS), ...cacheControl },
          content: {
            'application/json': {
              schema: reference('schemas', 'ChangesResponse'),
              examples: references(
                'examples',
                CHANGES_EXAMPLES.map(({ name }) => name),
              ),
            },
          },
        },
        304: reference('responses', 'ChangesNotModified'),
        410: reference('responses', 'Gone'),
        ...REFUSALS,
      },
    },
  },
  '/export': {
    get: {
      operationId: 'getExport',
      tags: [CHANGES_TAG.name],
      summary: 'All items, one per line',
      description:
        'The items are in ascending order of id. When a response ends, the client continues with `after`, and keeps ' +
        'the `Link` of its first response. It has all items when a response has `Content-Length: 0`: the end of a ' +
        'connection does not prove that a response is complete.',
      parameters: [reference('parameters', 'after')],
      responses: {
        200: {
          description: 'All items. Each line is one item as JSON.',
          headers: {
            ...refusalHeaders(),
            Link: reference('headers', 'ContinueLink'),
            'Content-Encoding': reference('headers', 'ContentEncoding'),
          },
          content: {
            [EXPORT_TYPE]: {
              schema: reference('schemas', 'ChangedItem'),
              examples: references('examples', [EXPORT_EXAMPLE.name]),
            },
          },
        },
        ...REFUSALS,
      },
    },
  },
};

import { AD_TYPE_SEGMENTS, AD_TYPES } from '@vitrine/feed-index/ad-types';
import type { JsonSchema, OpenApi, Operation, Parameter } from '@vitrine/web';
import { COMPONENT_SCHEMAS } from '../contract/changes-schema.ts';
import { FeedParameters, LEGACY_NAMES, PARAMETER_NAMES } from '../contract/feed-parameters.ts';
import { FEED_OPERATIONS, type FeedOperation, INTERFACE_VERSION } from '../contract/operations.ts';
import { problemPages } from '../contract/problem.ts';
import { FILTERS } from '../filters/index.ts';
import { CHANGES_EXAMPLES, EXPORT_EXAMPLE } from './changes-examples.ts';
import {
  CHANGES_PARAMETERS,
  CHANGES_PATHS,
  CHANGES_RESPONSES,
  CHANGES_TAG,
  changesHeaders,
} from './openapi-changes.ts';
import { EVENTS_PATHS, EVENTS_SCHEMAS, EVENTS_TAG } from './openapi-events.ts';
import { FEED_EXAMPLES, problemExamples } from './openapi-examples.ts';
import { componentHeaders } from './openapi-headers.ts';
import { queryParameter, reference } from './openapi-parts.ts';
import { COMPONENT_RESPONSES, operationResponses } from './openapi-responses.ts';

const FEEDS = {
  'public-feed': 'The catalog feed: a simplified listing for discovery and search-engine indexing.',
  'ai-feed':
    'The agent feed: the same items with their availability by date, for planning and matching agents.',
};

const DESCRIPTION = [
  'Two public, read-only feeds of marketplace items ' +
    `(${Object.values(AD_TYPES)
      .map(({ plural }) => plural)
      .join(', ')}). They require no authentication.`,
  '',
  'The feeds contain only complete items. Amounts are in BRL, dates are YYYY-MM-DD, and "today" is ' +
    'the date in America/Sao_Paulo. The newest items come first, or the nearest items if the request ' +
    'contains a point. `sort` selects another order.',
  '',
  'The schemas cannot express the following rules between parameters. The response to a request that ' +
    'breaks a rule is a 400 that names every invalid parameter:',
  '',
  ...FILTERS.flatMap(({ rule }) => (rule === undefined ? [] : [`- ${rule}`])),
  '- `cursor` and `page` are mutually exclusive. A cursor is `*` or the `meta.nextCursor` of a ' +
    'response of the same feed with the same filters.',
  `- A legacy name (${LEGACY_NAMES.map((name) => `\`${name}\``).join(', ')}) may accompany its successor if both ` +
    'have the same meaning.',
  '- A request contains a parameter at most once. An empty value counts as absent. The service ' +
    'ignores unknown parameters.',
  '',
  'A complete crawl starts with `cursor=*` and continues with `meta.nextCursor`, or follows the ' +
    '`Link` header with `rel="next"`. After 429 and 503, a client waits for the number of seconds in ' +
    '`Retry-After` and repeats the request.',
  '',
  'To keep a complete copy, a client reads `/export` once, and then follows `/changes` from the URL in the ' +
    '`Link` header. Filters do not apply to these two operations.',
  '',
  'The service answers HEAD like GET, but without a body, and OPTIONS with 204. It ignores `Accept`, ' +
    'because JSON is the only format. An `If-Match` other than `*` receives 412, because entity tags ' +
    'are weak.',
].join('\n');

/**
 * Builds the API's OpenAPI 3.1 document for `basePath` from the schemas that validate requests.
 * @param publicUrl the setting PUBLIC_URL. If it is undefined, the server is relative to the document's own
 * URL.
 */
export function openApiDocument(basePath: string, publicUrl?: string): OpenApi {
  const base = `${publicUrl ?? ''}${basePath}`;
  return {
    openapi: '3.1.1',
    info: {
      title: 'Public Marketplace Feeds API',
      version: INTERFACE_VERSION,
      summary: 'Public, read-only JSON feeds of marketplace items',
      description: DESCRIPTION,
      contact: { name: 'Vitrine', ...(publicUrl !== undefined && { url: `${base}/docs` }) },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base || '/', description: 'This service' }],
    security: [],
    tags: [
      ...Object.entries(FEEDS).map(([name, description]) => ({ name, description })),
      CHANGES_TAG,
      EVENTS_TAG,
    ],
    paths: {
      ...Object.fromEntries(
        FEED_OPERATIONS.map((operation) => [operationPath(operation), { get: describe(operation) }]),
      ),
      ...CHANGES_PATHS,
      ...EVENTS_PATHS,
    },
    components: {
      schemas: { ...componentSchemas(), ...EVENTS_SCHEMAS },
      parameters: { ...PARAMETERS, ...CHANGES_PARAMETERS },
      headers: { ...componentHeaders(base), ...changesHeaders(base) },
      responses: { ...COMPONENT_RESPONSES, ...CHANGES_RESPONSES },
      examples: {
        ...Object.fromEntries(
          [...FEED_EXAMPLES, ...CHANGES_EXAMPLES].map(({ name, summary, path, value }) => [
            name,
            { summary: `${summary}: GET ${path}`, value },
          ]),
        ),
        ...Object.fromEntries(
          Object.entries(problemExamples(problemPages(basePath, publicUrl))).map(([name, value]) => [
            name,
            { summary: value.title, value },
          ]),
        ),
        [EXPORT_EXAMPLE.name]: { summary: EXPORT_EXAMPLE.summary, value: EXPORT_EXAMPLE.value },
      },
    },
  };
}

const operationPath = ({ feed, byType }: FeedOperation): string => `/${feed}${byType ? '/{adType}' : ''}`;

function describe(operation: FeedOperation): Operation {
  const { id, feed, byType, summary } = operation;
  return {
    operationId: id,
    tags: [feed],
    summary,
    description: `${FEEDS[feed]}${byType ? ' Contains only items of one ad type.' : ''}`,
    parameters: Object.keys(PARAMETERS)
      .filter((name) => byType || name !== 'adType')
      .map((name) => reference('parameters', name)),
    responses: operationResponses(operation),
  };
}

/**
 * Maps a schema's JSON to its component name, so that `withReferences` can replace nested copies with
 * references.
 */
const NAMES = new Map(
  Object.entries(COMPONENT_SCHEMAS).map(([name, schema]) => [JSON.stringify(schema), name]),
);

/** Returns the component schemas, which reference each other by name instead of repeating definitions. */
const componentSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(COMPONENT_SCHEMAS).map(([name, schema]) => [
      name,
      mapMembers(schema, withReferences) as JsonSchema,
    ]),
  );

function withReferences(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const name = NAMES.get(JSON.stringify(value));
  return name === undefined ? mapMembers(value, withReferences) : reference('schemas', name);
}

function mapMembers(value: object, map: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member)]));
}

const LEGACY_AD_TYPES = Object.entries(AD_TYPES).flatMap(([name, { aliases }]) =>
  aliases.map((alias) => ` \`${alias}\` is a legacy alias of \`${name}\`.`),
);

/** The path parameter. Rule: docs/reference/rules.md#operations. */
const AD_TYPE: Parameter = {
  name: 'adType',
  in: 'path',
  required: true,
  description: `Selects items of this ad type.${LEGACY_AD_TYPES.join('')}`,
  schema: { type: 'string', enum: AD_TYPE_SEGMENTS },
  example: 'rent',
};

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'Entity tags of the copies that the client has, or `*`. If the tag of the current response is in the ' +
    'list, the service returns 304 without a body (RFC 9110 §13.1.2).',
  schema: { type: 'string' },
};

/** Every feed parameter by component name. The same schemas validate the query parameters of requests. */
const PARAMETERS: Record<string, Parameter> = {
  adType: AD_TYPE,
  ...Object.fromEntries(
    PARAMETER_NAMES.map((name) => [
      name,
      queryParameter(name, FeedParameters.properties[name], LEGACY_NAMES.includes(name)),
    ]),
  ),
  IfNoneMatch: IF_NONE_MATCH,
};

import { AD_TYPES } from '@vitrine/feed-index/ad-types';
import { LEGACY_NAMES } from '../contract/feed-parameters.ts';
import { FEED_OPERATIONS, type FeedOperation, INTERFACE_VERSION } from '../contract/operations.ts';
import { FILTERS } from '../filters/index.ts';
import { CHANGES_EXAMPLES, EXPORT_EXAMPLE } from './changes-examples.ts';
import {
  CHANGES_PARAMETERS,
  CHANGES_PATHS,
  CHANGES_RESPONSES,
  CHANGES_TAG,
  changesHeaders,
} from './openapi-changes.ts';
import { FEED_EXAMPLES, PROBLEM_EXAMPLES } from './openapi-examples.ts';
import { componentHeaders } from './openapi-headers.ts';
import { componentParameters, parameterReferences } from './openapi-parameters.ts';
import { COMPONENT_RESPONSES, operationResponses } from './openapi-responses.ts';
import { componentSchemas } from './openapi-schemas.ts';
import type { OpenApiDocument, Operation } from './openapi-types.ts';

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
    'contains a point.',
  '',
  'The schemas cannot express the following rules between parameters. The response to a request that ' +
    'breaks a rule is a 400 that names every invalid parameter:',
  '',
  // As in the first release, the rule of the place comes first.
  ...FILTERS.toReversed().flatMap(({ rule }) => (rule === undefined ? [] : [`- ${rule}`])),
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
export function openApiDocument(basePath: string, publicUrl?: string): OpenApiDocument {
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
    tags: [...Object.entries(FEEDS).map(([name, description]) => ({ name, description })), CHANGES_TAG],
    paths: {
      ...Object.fromEntries(
        FEED_OPERATIONS.map((operation) => [operationPath(operation), { get: describe(operation) }]),
      ),
      ...CHANGES_PATHS,
    },
    components: {
      schemas: componentSchemas(),
      parameters: { ...componentParameters(), ...CHANGES_PARAMETERS },
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
          Object.entries(PROBLEM_EXAMPLES).map(([name, value]) => [name, { summary: value.title, value }]),
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
    parameters: parameterReferences(byType),
    responses: operationResponses(operation),
  };
}

import { FEED_EXAMPLES, PROBLEM_EXAMPLES } from './openapi-examples.ts';
import { componentHeaders } from './openapi-headers.ts';
import { componentParameters, parameterReferences } from './openapi-parameters.ts';
import { COMPONENT_RESPONSES, operationResponses } from './openapi-responses.ts';
import { componentSchemas } from './openapi-schemas.ts';
import type { OpenApiDocument, Operation } from './openapi-types.ts';
import { FEED_OPERATIONS, type FeedOperation } from './operations.ts';

const FEEDS = {
  'public-feed': 'The catalog feed: a simplified listing, for discovery and search-engine indexing.',
  'ai-feed': 'The agent feed: the same items with their availability by date, for planning and matching agents.',
};

const DESCRIPTION = `Items of a marketplace (sales, rentals, services) as two read-only feeds, for everybody, without authentication.

Incomplete items are never served. Amounts are in BRL, dates are YYYY-MM-DD, "today" is the date in America/Sao_Paulo. Items come newest first, unless a point is given.

Rules between parameters, beyond what each one's schema says; breaking one is a 400 that names every bad parameter:

- \`lat\` and \`lng\` are given both or not at all; \`localOnly\` switched on needs them.
- \`date_to\` needs \`date\` (or \`data\`), is not before it, and covers 31 dates with it at most.
- \`cursor\` and \`page\` exclude each other. A cursor is \`*\` or the \`meta.nextCursor\` of an answer to the same feed with the same filters.
- A legacy name (\`cidade\`, \`categoria\`, \`subcategoria\`, \`data\`) may be given beside its successor if both mean the same.
- A parameter is given once at most. An empty value counts as absent. Unknown parameters are ignored.

HEAD is answered as GET without a body, OPTIONS with 204. \`Accept\` is not looked at: JSON is what there is.`;

/** The OpenAPI 3.1 description of the interface at `basePath`, made of the schemas that requests are checked with. */
export function openApiDocument(basePath: string): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Public Marketplace Feeds API',
      version: '1.0.0',
      summary: "A marketplace's items as public, read-only JSON feeds",
      description: DESCRIPTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath || '/', description: 'This service' }],
    security: [],
    tags: Object.entries(FEEDS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(FEED_OPERATIONS.map((operation) => [operationPath(operation), { get: describe(operation) }])),
    components: {
      schemas: componentSchemas(),
      parameters: componentParameters(),
      headers: componentHeaders(basePath),
      responses: COMPONENT_RESPONSES,
      examples: {
        ...Object.fromEntries(FEED_EXAMPLES.map(({ name, summary, target, value }) => [name, { summary: `${summary}: GET ${target}`, value }])),
        ...Object.fromEntries(Object.entries(PROBLEM_EXAMPLES).map(([name, value]) => [name, { summary: value.title, value }])),
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
    description: `${FEEDS[feed]}${byType ? ' Narrowed to one ad type.' : ''}`,
    parameters: parameterReferences(byType),
    responses: operationResponses(operation),
  };
}

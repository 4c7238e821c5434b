import { AD_TYPE_NAMES } from '@vitrine/feed-index/ad-types';
import { Type } from 'typebox';
import type { UcpOperation } from './catalog.ts';
import { LookupBody, MAX_LIMIT, ProductBody, SearchBody } from './request-schemas.ts';

/** A tool in UCP's binding for MCP. */
export interface UcpTool {
  name: string;
  operation: UcpOperation;
  title: string;
  description: string;
  inputSchema: object;
  outputSchema: object;
}

/**
 * Every UCP client sends its profile. The service accepts any value, because it never fetches the profile.
 */
const Meta = Type.Optional(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'Metadata of the client: {"ucp-agent": {"profile": "https://…"}}. Has no effect.',
    },
  ),
);

/**
 * Clients that build types from a schema drop the members of an object that does not allow additional ones.
 */
const OBJECT = { type: 'object', additionalProperties: true };
const OBJECTS = { type: 'array', items: OBJECT };
const answer = (result: object) => ({
  ...OBJECT,
  properties: { ucp: OBJECT, ...result, messages: OBJECTS },
  required: ['ucp'],
});

/** Some models' schema converters refuse `format`. Nevertheless, the service checks requests with it. */
function withoutFormats(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withoutFormats);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => keyword !== 'format' || typeof value !== 'string')
      .map(([keyword, value]) => [keyword, withoutFormats(value)]),
  );
}

const args = (catalog: Parameters<typeof Type.Object>[0][string]) =>
  withoutFormats(Type.Object({ meta: Meta, catalog })) as object;

/** The tools in UCP's order. The schemas contain no `$ref`, because some clients drop tools with one. */
export const UCP_TOOLS: readonly UcpTool[] = [
  {
    name: 'search_catalog',
    operation: 'search',
    title: 'Search the catalog',
    description:
      `Searches products of a Brazilian marketplace (${AD_TYPE_NAMES.join(', ')}) by words of the title, ` +
      'categories, price, place, rating, kind of offer and dates, newest first, at most ' +
      `${MAX_LIMIT} per page. Prices are centavos of BRL. Needs a query or a filter.`,
    inputSchema: args(SearchBody),
    outputSchema: answer({ products: OBJECTS, pagination: OBJECT }),
  },
  {
    name: 'lookup_catalog',
    operation: 'lookup',
    title: 'Look up products',
    description:
      'Returns products by id, at most 50. With filters.date, states whether each is available on the ' +
      'requested dates, and its total price.',
    inputSchema: args(LookupBody),
    outputSchema: answer({ products: OBJECTS }),
  },
  {
    name: 'get_product',
    operation: 'product',
    title: 'Get one product',
    description:
      'Returns one product with its calendar. With filters.date, states whether it is available on the ' +
      'requested dates, and its total price.',
    inputSchema: args(ProductBody),
    outputSchema: answer({ product: OBJECT }),
  },
];

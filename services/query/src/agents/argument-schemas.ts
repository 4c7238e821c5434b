import { CHANGE_KINDS } from '@vitrine/feed-index';
import { argumentOf, FACETS, FILTERS, type FilterName } from '@vitrine/feed-index/filters';
import { MAX_LIST_VALUES } from '../filters/filter.ts';
import { PARAMETERS } from '../filters/index.ts';

/**
 * A JSON Schema for one argument. Some clients drop tools whose schemas use `$ref`, `oneOf` or `allOf`, or
 * several types for one value.
 */
export interface ArgumentSchema extends Record<string, unknown> {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array';
  /** Only the schemas of a list's values have no description. */
  description?: string;
  enum?: readonly string[];
  items?: ArgumentSchema;
  minimum?: number;
  maximum?: number;
}

/** The input schema of a tool: a flat object. */
export interface InputSchema extends Record<string, unknown> {
  type: 'object';
  properties: Record<string, ArgumentSchema>;
  required?: string[];
  additionalProperties: false;
}

/** The maximum number of ids in a call. */
export const MAX_IDS = 10;
const MAX_TEXT = 200;
const text = (description: string, more: object = {}): ArgumentSchema => ({
  type: 'string',
  maxLength: MAX_TEXT,
  description,
  ...more,
});
const limitOf = (maximum: number, preset: number, of: string): ArgumentSchema => ({
  type: 'integer',
  minimum: 1,
  maximum,
  default: preset,
  description: `Maximum number of ${of}, 1 to ${maximum}: ${preset}.`,
});

/** Returns the published schema of a list. The argument reader also accepts a single value. */
const listOf = (items: ArgumentSchema, maxItems: number, description: string): ArgumentSchema => ({
  type: 'array',
  items: { ...items, ...(items.enum === undefined && { maxLength: MAX_TEXT }) },
  maxItems,
  description,
});

/** One string may contain several ids, so `find-listings.ts` checks the length of each id. */
const IDS: ArgumentSchema = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  maxItems: MAX_IDS,
  description: `Ids of listings, exactly as search_listings returns them, at most ${MAX_IDS}: ["apt-123"].`,
};
/**
 * The schema has no `format: date`, because the converters of some models refuse it. `tool-arguments.ts`
 * checks the dates.
 */
const date = (description: string): ArgumentSchema => ({ type: 'string', description });

/** Returns the arguments that are filters, from the filter table. @param localRadiusKm LOCAL_RADIUS_KM */
function filterArguments(localRadiusKm: number): Record<string, ArgumentSchema> {
  const schemas: Record<string, ArgumentSchema> = {};
  for (const name of Object.keys(PARAMETERS) as FilterName[]) {
    const { tools } = PARAMETERS[name];
    if (tools === undefined) continue;
    const description = typeof tools === 'string' ? tools : tools({ localRadiusKm });
    schemas[argumentOf(name)] = filterSchema(FILTERS[name], description);
  }
  return schemas;
}

function filterSchema(
  { kind, integer, minimum, maximum, values = [], list }: (typeof FILTERS)[FilterName],
  description: string,
): ArgumentSchema {
  if (list)
    return listOf(
      { type: 'string', ...(kind === 'choice' && { enum: values }) },
      MAX_LIST_VALUES,
      description,
    );
  if (kind === 'choice') return { type: 'string', enum: values, description };
  if (kind === 'date') return date(description);
  if (kind === 'flag') return { type: 'boolean', default: false, description };
  if (kind === 'text') return text(description);
  return {
    type: integer ? 'integer' : 'number',
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    description,
  };
}

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);

const mapped = <T>(members: Record<string, T>, change: (member: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));

/** The arguments of the five tools. Every description has a format, an example or a default. */
export function argumentSchemas(localRadiusKm: number): Record<ToolName, InputSchema> {
  const filters = filterArguments(localRadiusKm);
  const { sort: _, ...narrowing } = mapped(filters, (schema) => ({
    ...schema,
    description: `As in search_listings.${schema.default === undefined ? ' No default.' : ''}`,
  }));
  return {
    search_listings: flat({
      ...filters,
      limit: limitOf(20, 5, 'listings'),
      // The cursor has no `maxLength`, because llama.cpp builds no grammar from a limit of 2,000 characters
      // or more.
      cursor: {
        type: 'string',
        description: 'next_cursor of the previous answer, with the same filters. No default: first page.',
      },
      detail: {
        type: 'string',
        enum: ['concise', 'detailed'],
        default: 'concise',
        description:
          'detailed adds description, category, provider, rating, one image, distance_km and calendar_until.',
      },
    }),
    get_listing: flat(
      {
        id: IDS,
        date: date(
          'First date, YYYY-MM-DD: 2026-12-12. The calendar then has only the requested dates. No default: all dates from today.',
        ),
        date_to: date('Last date, inclusive, YYYY-MM-DD: 2026-12-14. Needs date. Default: date.'),
      },
      ['id'],
    ),
    check_availability: flat(
      {
        id: IDS,
        date: date('First date, YYYY-MM-DD: 2026-12-12.'),
        date_to: date(
          'Last date, inclusive, YYYY-MM-DD: 2026-12-14, the last night of a stay. Default: date.',
        ),
      },
      ['id', 'date'],
    ),
    list_facets: flat(
      {
        facet: {
          type: 'string',
          enum: [...FACETS],
          description: `The filter whose values to list: ${listed(FACETS)}.`,
        },
        query: text('A word, beginning or short name of the value: "flor", "BH". No default: all values.'),
        ...narrowing,
        limit: limitOf(100, 20, 'values'),
      },
      ['facet'],
    ),
    list_changes: flat({
      after: {
        type: 'integer',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description:
          'next_after of the previous answer, for example 1024. Use 0 to start from the beginning.',
      },
      since: {
        type: 'string',
        description: 'Only changes from this time on: 2026-11-25 or 2026-11-25T08:00:00-03:00. No default.',
      },
      kind: { type: 'string', enum: CHANGE_KINDS, description: 'Only this kind of change. Default: all.' },
      city: listOf(
        { type: 'string' },
        MAX_LIST_VALUES,
        'Only in these cities: ["Bonito, MS"]. Default: all.',
      ),
      category: listOf(
        { type: 'string' },
        MAX_LIST_VALUES,
        'Only of these categories: ["chale"]. Default: all.',
      ),
      limit: limitOf(50, 10, 'changes'),
    }),
  };
}

export type ToolName =
  | 'search_listings'
  | 'get_listing'
  | 'check_availability'
  | 'list_facets'
  | 'list_changes';

const flat = (properties: Record<string, ArgumentSchema>, required?: string[]): InputSchema => ({
  type: 'object',
  properties,
  ...(required && { required }),
  additionalProperties: false,
});

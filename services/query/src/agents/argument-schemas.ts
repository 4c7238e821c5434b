import { AD_TYPE_NAMES, listAdTypes } from '@vitrine/feed-index/ad-types';
import { MAX_RANGE_DAYS } from '../contract/feed-parameters.ts';
import { FACETS } from '../search/facets.ts';

/** A JSON Schema of one argument. Some clients drop tools with `$ref`, `oneOf` or `allOf`. */
type ArgumentSchema = Record<string, unknown> & { type: string; description: string };

/** The input schema of a tool: a flat object. */
export interface InputSchema extends Record<string, unknown> {
  type: 'object';
  properties: Record<string, ArgumentSchema>;
  required?: string[];
  additionalProperties: false;
}

const MAX_TEXT = 200;
const text = (description: string, more: object = {}): ArgumentSchema => ({
  type: 'string',
  maxLength: MAX_TEXT,
  description,
  ...more,
});
const number = (minimum: number, maximum: number | undefined, description: string): ArgumentSchema => ({
  type: 'number',
  minimum,
  ...(maximum !== undefined && { maximum }),
  description,
});
const limitOf = (maximum: number, preset: number, of: string): ArgumentSchema => ({
  type: 'integer',
  minimum: 1,
  maximum,
  default: preset,
  description: `Maximum number of ${of}, 1 to ${maximum}: ${preset}.`,
});

const ID = text('Id of a listing, exactly as search_listings returns it: "apt-123".', { minLength: 1 });
const date = (description: string): ArgumentSchema => ({ type: 'string', format: 'date', description });

/** @param localRadiusKm LOCAL_RADIUS_KM */
const filtersWithin = (localRadiusKm: number): Record<string, ArgumentSchema> => ({
  ad_type: {
    type: 'string',
    enum: AD_TYPE_NAMES,
    description:
      `Kind of offer: ${listAdTypes('or')}. Stays are rent, and so are equipment and vehicles for rent: for stays, ` +
      'also set a category. No default: all kinds.',
  },
  city: text('One whole city name, any spelling: "Florianópolis". No default: all cities.'),
  category: text(
    'Broad category, slug or name: "temporada". Do not guess: list_facets shows the values. No default: all.',
  ),
  sub_category: text(
    'Narrow category, slug or name: "chale". list_facets shows the values. No default: all.',
  ),
  date: date(
    'First date, YYYY-MM-DD: 2026-12-12. Only listings that are free on every asked date match. No default: any dates.',
  ),
  date_to: date(
    `Last date, included, YYYY-MM-DD: 2026-12-14, at most ${MAX_RANGE_DAYS} dates in total. For a stay this is the last night, the day ` +
      'before check-out. Needs date. Default: date.',
  ),
  lat: number(-90, 90, 'Latitude, -27.59. Needs lng. Sorts nearest first. No default.'),
  lng: number(-180, 180, 'Longitude, -48.55. Needs lat. No default.'),
  local_only: {
    type: 'boolean',
    default: false,
    description: `true: only listings within ${localRadiusKm} km of lat and lng, which it needs.`,
  },
  min_price: number(
    0,
    undefined,
    "Lowest `price` of a listing in BRL, 0 or more: 100. Compares the listing's own price. No default.",
  ),
  max_price: number(
    0,
    undefined,
    "Highest `price` of a listing in BRL, 0 or more: 300. Compares the listing's own price (of a rent: usually " +
      'per night), not total_price: on asked dates, a night may cost more. No default.',
  ),
});

/** The arguments of the five tools. Every description has a format, an example or a default. */
export function argumentSchemas(localRadiusKm: number): Record<ToolName, InputSchema> {
  const filters = filtersWithin(localRadiusKm);
  return {
    search_listings: flat({
      ...filters,
      limit: limitOf(20, 5, 'listings'),
      cursor: text('next_cursor of the previous answer, with the same filters. No default: first page.', {
        maxLength: 4_000,
      }),
      detail: {
        type: 'string',
        enum: ['concise', 'detailed'],
        default: 'concise',
        description: 'detailed adds description, category, provider and rating.',
      },
    }),
    get_listing: flat(
      {
        id: ID,
        date: date(
          'First date, YYYY-MM-DD: 2026-12-12. The calendar then has only the asked dates. No default: all dates from today.',
        ),
        date_to: date('Last date, included, YYYY-MM-DD: 2026-12-14. Needs date. Default: date.'),
      },
      ['id'],
    ),
    check_availability: flat(
      {
        id: ID,
        date: date('First date, YYYY-MM-DD: 2026-12-12.'),
        date_to: date(
          'Last date, included, YYYY-MM-DD: 2026-12-14, the last night of a stay. Default: date.',
        ),
      },
      ['id', 'date'],
    ),
    list_facets: flat(
      {
        facet: { type: 'string', enum: [...FACETS], description: 'The filter whose values to list: city.' },
        query: text('Beginning of the value, any spelling: "flor". No default: all values.'),
        ...filters,
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
        description: 'next_after of the previous answer: 1024. 0: from the beginning.',
      },
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

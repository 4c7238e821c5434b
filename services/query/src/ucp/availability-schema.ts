import { AD_TYPE_NAMES } from '@vitrine/feed-index/ad-types';
import { EXTENSION_FILTERS } from './request-schemas.ts';
import {
  EXTENSION_PATH,
  EXTENSION_VERSION,
  extensionName,
  LOOKUP_CAPABILITY,
  SEARCH_CAPABILITY,
  UCP_SITE,
  UCP_VERSION,
} from './ucp-names.ts';

const [SEARCH, LOOKUP] = ['search', 'lookup'].map(
  (operation) => `${UCP_SITE}/schemas/shopping/catalog_${operation}.json#/$defs`,
);
const PRICE = { $ref: `${UCP_SITE}/schemas/common/types/price.json` };
const date = (description: string) => ({ type: 'string', format: 'date', description });
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const extended = (parent: string, properties: object) => ({
  allOf: [{ $ref: parent }, { type: 'object', properties }],
});

/**
 * Creates the JSON Schema of the extension: filters by dates, ad type, place and rating, and their results in
 * `metadata`. Its form is UCP's "Extension Schema Pattern".
 * @param base the URL at which clients reach the service, without a slash at its end
 */
export function availabilitySchema(base: string): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${base}${EXTENSION_PATH}`,
    name: extensionName(base),
    version: EXTENSION_VERSION,
    title: 'Availability by date',
    description:
      'Filters a catalog by dates, kind of offer, place and rating, and states the availability and the price of ' +
      'the requested dates. Dates are in America/Sao_Paulo, and a range includes both ends.',
    requires: { protocol: { min: UCP_VERSION } },
    $defs: {
      filters: { type: 'object', properties: EXTENSION_FILTERS },
      metadata: METADATA,
      products: { type: 'array', items: { type: 'object', properties: { metadata: ref('metadata') } } },
      [SEARCH_CAPABILITY]: {
        $defs: {
          search_request: extended(`${SEARCH}/search_request`, { filters: ref('filters') }),
          search_response: extended(`${SEARCH}/search_response`, { products: ref('products') }),
        },
      },
      [LOOKUP_CAPABILITY]: {
        $defs: {
          lookup_request: extended(`${LOOKUP}/lookup_request`, { filters: ref('filters') }),
          lookup_response: extended(`${LOOKUP}/lookup_response`, { products: ref('products') }),
          get_product_request: extended(`${LOOKUP}/get_product_request`, { filters: ref('filters') }),
          get_product_response: extended(`${LOOKUP}/get_product_response`, {
            product: { type: 'object', properties: { metadata: ref('metadata') } },
          }),
        },
      },
    },
  };
}

const METADATA = {
  type: 'object',
  required: ['location'],
  properties: {
    ad_type: { type: 'string', enum: AD_TYPE_NAMES, description: 'Kind of offer.' },
    location: {
      type: 'object',
      required: ['city', 'country'],
      properties: { city: { type: 'string' }, state: { type: 'string' }, country: { const: 'BR' } },
    },
    stay: {
      type: 'object',
      description: 'The requested dates. Present if the request has filters.date.',
      required: ['date', 'date_to', 'available'],
      properties: {
        date: date('First requested date.'),
        date_to: date('Last requested date, inclusive.'),
        available: {
          type: 'boolean',
          description: 'Whether the product is known to be available on every requested date.',
        },
        total_price: {
          ...PRICE,
          description: 'Sum of the prices of the requested dates. Present if available.',
        },
        nightly_prices: {
          type: 'array',
          description: 'The price of each requested date. Present if available.',
          items: {
            type: 'object',
            required: ['date', 'price'],
            properties: { date: date('The date.'), price: PRICE },
          },
        },
        unavailable_dates: {
          type: 'array',
          description: 'The requested dates that are taken or past. Present if there are any.',
          minItems: 1,
          items: date('The date.'),
        },
        unknown_dates: {
          type: 'array',
          description:
            'The requested dates without an entry in the calendar of the product. Whether it is free is unknown. ' +
            'Present if there are any.',
          minItems: 1,
          items: date('The date.'),
        },
      },
    },
    calendar: {
      type: 'array',
      description: 'In the response of get_product: the known dates from today on, as ranges.',
      items: {
        type: 'object',
        required: ['from', 'to', 'available', 'price'],
        properties: {
          from: date('First date of the range.'),
          to: date('Last date of the range, inclusive.'),
          available: {
            type: 'boolean',
            description: 'Whether the product is available on each of these dates.',
          },
          price: { ...PRICE, description: 'The price of each of these dates.' },
        },
      },
    },
  },
};

import { argumentOf, FILTERS, type FilterArguments, type FilterName } from '@vitrine/feed-index/filters';
import { type Static, type TSchema, Type } from 'typebox';
import { PARAMETERS } from '../filters/index.ts';

export const DEFAULT_LIMIT = 10;
/** A larger limit is reduced to this one, as UCP allows. */
export const MAX_LIMIT = 50;
const MAX_TEXT = 300;
const MAX_CATEGORIES = 50;

const amount = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }));
const text = (description: string) => Type.Optional(Type.String({ maxLength: MAX_TEXT, description }));

/** Returns the schema of one of the extension's filters. */
function extensionFilter(name: FilterName, description: string): TSchema {
  const { kind, values = [], minimum, maximum } = FILTERS[name];
  if (kind === 'choice') return Type.Enum([...values], { type: 'string', description });
  if (kind === 'date') return Type.String({ format: 'date', description });
  if (kind === 'flag') return Type.Boolean({ description });
  if (kind === 'text') return Type.String({ maxLength: MAX_TEXT, description });
  return Type.Number({
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    description,
  });
}

/** The extension's filters, from the table of filters. The extension's published schema repeats them. */
export const EXTENSION_FILTERS: Readonly<Record<string, TSchema>> = Object.fromEntries(
  Object.entries(PARAMETERS).flatMap(([name, { ucp }]) =>
    ucp === undefined
      ? []
      : [[argumentOf(name as FilterName), Type.Optional(extensionFilter(name as FilterName, ucp))]],
  ),
);

const Filters = Type.Optional(
  Type.Object(
    {
      categories: Type.Optional(
        Type.Array(Type.String({ maxLength: MAX_TEXT }), {
          maxItems: MAX_CATEGORIES,
          description: 'Categories: ["apartamento"]. A product must have one of them. No default.',
        }),
      ),
      price: Type.Optional(
        Type.Object(
          {
            min: amount('Lowest price, inclusive. No default.'),
            max: amount('Highest price, inclusive: 30000.'),
          },
          { description: 'Price limits in centavos of BRL: {"max": 30000} is R$ 300. No default.' },
        ),
      ),
      ...EXTENSION_FILTERS,
    },
    { description: 'Filters, which must all match. No default.', additionalProperties: true },
  ),
);

/** The members of every body. The catalog uses only `filters` and `context.currency` among them. */
const COMMON = {
  filters: Filters,
  context: Type.Optional(
    Type.Object(
      {
        currency: Type.Optional(Type.String({ description: 'Currency of the price filter. Default: BRL.' })),
      },
      { description: "The buyer's market. Only currency has an effect.", additionalProperties: true },
    ),
  ),
  signals: Type.Optional(Type.Object({}, { description: 'Ignored.', additionalProperties: true })),
  attribution: Type.Optional(Type.Object({}, { description: 'Ignored.', additionalProperties: true })),
};

/** UCP's search_request. It needs a query or a filter. */
export const SearchBody = Type.Object({
  query: text('Words that the title must contain: "praia vista". No default: all titles.'),
  ...COMMON,
  pagination: Type.Optional(
    Type.Object(
      {
        cursor: Type.Optional(
          Type.String({
            description:
              'pagination.cursor of the previous answer, with the same query and filters. No default.',
          }),
        ),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            default: DEFAULT_LIMIT,
            description: `Maximum number of products, at most ${MAX_LIMIT}.`,
          }),
        ),
      },
      { description: 'The page to return. No default: the first page.' },
    ),
  ),
});

/** UCP's lookup_request. */
export const LookupBody = Type.Object({
  ids: Type.Array(Type.String(), { minItems: 1, description: 'Ids of products: ["listing-1"].' }),
  ...COMMON,
});

/** UCP's get_product_request. */
export const ProductBody = Type.Object({
  id: Type.String({ description: 'Id of a product, exactly as search_catalog returns it.' }),
  selected: Type.Optional(
    Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'Ignored: products have no options.',
    }),
  ),
  preferences: Type.Optional(
    Type.Array(Type.String(), { description: 'Ignored: products have no options.' }),
  ),
  ...COMMON,
});

export type SearchBody = Static<typeof SearchBody>;
export type LookupBody = Static<typeof LookupBody>;
export type ProductBody = Static<typeof ProductBody>;
export type FiltersBody = NonNullable<SearchBody['filters']> & FilterArguments;

import { type Static, Type } from 'typebox';

const Price = Type.Number({ exclusiveMinimum: 0, description: 'Amount in BRL, two decimals at most.' });
const CalendarDate = (description: string) => Type.String({ format: 'date', description });

/** API document, "Location". */
const Location = Type.Object(
  {
    city: Type.String({ minLength: 1, description: 'Name of the city. Filters compare its slug.' }),
    state: Type.Optional(Type.String({ minLength: 1 })),
    country: Type.Literal('BR'),
  },
  { description: 'Where the item is.' },
);

/** API document, "Provider". */
const Provider = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    slug: Type.Optional(Type.String({ minLength: 1 })),
  },
  { description: 'Who offers the item.' },
);

/** API document, "Availability". */
export const Availability = Type.Object(
  {
    date: CalendarDate('The date, YYYY-MM-DD.'),
    available: Type.Boolean({ description: 'Whether the item can be taken on that date.' }),
    price: Type.Number({ exclusiveMinimum: 0, description: 'Price for that date, in BRL.' }),
  },
  { description: "One date of an item's calendar." },
);

/** API document, "FeedItem". An optional member that an item lacks is left out, never null. */
export const FeedItem = Type.Object(
  {
    id: Type.String({ minLength: 1, description: 'Identifier of the item.' }),
    title: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String({ minLength: 1 })),
    category: Type.Optional(Type.String({ minLength: 1, description: 'Slug of the category.' })),
    sub_category: Type.Optional(Type.String({ minLength: 1, description: 'Slug of the sub-category.' })),
    price: Price,
    currency: Type.Literal('BRL'),
    location: Location,
    provider: Type.Optional(Provider),
    availability: Type.Optional(
      Type.Array(Availability, { description: 'Ascending by date. Always there on the agent feed, never on the catalog feed.' }),
    ),
    rating: Type.Optional(Type.Number({ minimum: 0, maximum: 5 })),
    review_count: Type.Optional(Type.Integer({ minimum: 0 })),
    images: Type.Optional(Type.Array(Type.String({ format: 'uri' }), { minItems: 1, uniqueItems: true })),
    url: Type.String({ format: 'uri', description: 'Public page of the item, for handing a human over to the marketplace.' }),
  },
  { description: 'A marketplace item with all that is needed to decide. Incomplete items are never served.' },
);

/** One date of `meta.availability` (decisions §3). */
const DateSummary = Type.Object(
  {
    date: CalendarDate('The date, YYYY-MM-DD.'),
    items: Type.Integer({ minimum: 0, description: 'How many items can be taken on that date.' }),
    min_price: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'Their lowest price in BRL; left out where there are none.' })),
    max_price: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'Their highest price in BRL; left out where there are none.' })),
  },
  { description: 'The offers of one date.' },
);

/** API document, "meta". */
const FeedMeta = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1, description: 'Page returned; left out on a crawl by cursor.' })),
    pageSize: Type.Integer({ minimum: 1, maximum: 100, description: 'Page size used.' }),
    pageCount: Type.Integer({ minimum: 0, description: 'Number of pages.' }),
    total: Type.Integer({ minimum: 0, description: 'Exact number of matching items.' }),
    endpoint: Type.String({ description: 'The feed that was asked: `public-feed`, `ai-feed/rent`, …' }),
    nextCursor: Type.Optional(
      Type.String({ minLength: 1, description: 'On a crawl by cursor: what `cursor` is to be next; left out on the last page.' }),
    ),
    availability: Type.Optional(
      Type.Array(DateSummary, {
        description:
          'Agent feed with a date: for each date from 3 days before to 3 days after what was asked, never before today, the offers among all items that match every other filter.',
      }),
    ),
    generatedAt: Type.String({ format: 'date-time', description: 'When this representation was made; a cached copy keeps it.' }),
  },
  { description: 'What the page is a part of.' },
);

/** The body of every successful response. API document, "FeedResponse". */
export const FeedResponse = Type.Object(
  { data: Type.Array(FeedItem, { description: 'The items of the requested page.' }), meta: FeedMeta },
  { description: 'A page of items.' },
);

/** One refused parameter. */
export const ParameterError = Type.Object(
  { parameter: Type.String(), detail: Type.String() },
  { description: 'A parameter that was refused, and why.' },
);

/** The body of every refusal: RFC 9457 §3, with `errors` as an extension member. */
export const ProblemDetails = Type.Object(
  {
    type: Type.String({ format: 'uri-reference', description: '`about:blank`: the status says it all.' }),
    title: Type.String({ description: "The status code's name." }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What is wrong with this request.' }),
    errors: Type.Optional(Type.Array(ParameterError, { description: 'Every bad parameter at once.' })),
  },
  { description: 'Why a request was not answered (RFC 9457).' },
);

export type FeedResponse = Static<typeof FeedResponse>;
export type ProblemDetails = Static<typeof ProblemDetails>;

/** Every schema that the OpenAPI document names. */
export const COMPONENT_SCHEMAS = {
  FeedResponse,
  FeedMeta,
  FeedItem,
  Location,
  Provider,
  Availability,
  DateSummary,
  Problem: ProblemDetails,
  ParameterError,
} as const;

import { type Static, Type } from 'typebox';

const Price = Type.Number({ exclusiveMinimum: 0, description: 'Amount in BRL, with at most two decimals.' });
/** The largest integer that every JSON parser represents exactly. */
const MAX_INT64 = Number.MAX_SAFE_INTEGER;
const MAX_INT32 = 2 ** 31 - 1;
const count = (description: string) =>
  Type.Integer({ format: 'int64', minimum: 0, maximum: MAX_INT64, description });
const CalendarDate = (description: string) => Type.String({ format: 'date', description });

/** docs/reference/rules.md#feed-item. */
const Location = Type.Object(
  {
    city: Type.String({ minLength: 1, description: 'Name of the city. Filters compare its slug.' }),
    state: Type.Optional(Type.String({ minLength: 1 })),
    country: Type.Literal('BR'),
  },
  { description: 'Location of the item.' },
);

/** docs/reference/rules.md#feed-item. */
const Provider = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    slug: Type.Optional(Type.String({ minLength: 1 })),
  },
  { description: 'Provider of the item.' },
);

/** docs/reference/rules.md#availability. */
export const Availability = Type.Object(
  {
    date: CalendarDate('The date, YYYY-MM-DD.'),
    available: Type.Boolean({ description: 'Whether the item is available on that date.' }),
    price: Type.Number({ exclusiveMinimum: 0, description: 'Price for that date, in BRL.' }),
  },
  { description: "One date of an item's calendar." },
);

const FIRST_NIGHT = 'The first night, YYYY-MM-DD.';
const LAST_NIGHT = 'The last night, YYYY-MM-DD.';

/** docs/reference/rules.md#stays. */
const Stay = Type.Object(
  {
    from: CalendarDate(FIRST_NIGHT),
    to: CalendarDate(LAST_NIGHT),
    total_price: Type.Number({
      exclusiveMinimum: 0,
      description: 'Sum of the prices of all nights, in BRL.',
    }),
  },
  {
    description:
      'The cheapest stay of the request. Present if the request has `nights`, `sort=total_price` or a limit of ' +
      'the total.',
  },
);

/** Rule: docs/reference/rules.md#feed-item. A missing optional member is absent, never null. */
const itemMembers = {
  id: Type.String({ minLength: 1, description: 'Identifier of the item.' }),
  title: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String({ minLength: 1 })),
  category: Type.Optional(Type.String({ minLength: 1, description: 'Slug of the category.' })),
  sub_category: Type.Optional(Type.String({ minLength: 1, description: 'Slug of the sub-category.' })),
  price: Price,
  currency: Type.Literal('BRL'),
  location: Location,
  provider: Type.Optional(Provider),
  rating: Type.Optional(Type.Number({ minimum: 0, maximum: 5 })),
  review_count: Type.Optional(Type.Integer({ format: 'int32', minimum: 0, maximum: MAX_INT32 })),
  images: Type.Optional(Type.Array(Type.String({ format: 'uri' }), { minItems: 1, uniqueItems: true })),
  url: Type.String({
    format: 'uri',
    description: 'Public page of the item on the marketplace, for human visitors.',
  }),
  stay: Type.Optional(Stay),
};

export const FeedItem = Type.Object(itemMembers, {
  description: 'A complete marketplace item. The feeds never contain incomplete items.',
});

/** An item of the agent feed, the only feed that serves `availability`. */
export const AgentFeedItem = Type.Object(
  {
    ...itemMembers,
    availability: Type.Array(Availability, {
      description: 'One entry per known date, in ascending order. Empty if no dates are known.',
    }),
  },
  { description: 'A complete marketplace item with its availability by date.' },
);

/** The summary of one date in `meta.availability`. */
const DateSummary = Type.Object(
  {
    date: CalendarDate('The date, YYYY-MM-DD.'),
    items: count('Number of items that are available on that date.'),
    min_price: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: 'Lowest price of these items in BRL. Absent if no items are available.',
      }),
    ),
    max_price: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: 'Highest price of these items in BRL. Absent if no items are available.',
      }),
    ),
  },
  { description: 'Summary of the items that are available on one date.' },
);

/** The summary of one stay in `meta.stays`. Rule: docs/reference/rules.md#stays. */
const StaySummary = Type.Object(
  {
    from: CalendarDate(FIRST_NIGHT),
    to: CalendarDate(LAST_NIGHT),
    items: count('Number of items that are available on every night.'),
    min_total_price: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: 'Lowest total of these items in BRL. Absent if no items are available.',
      }),
    ),
    max_total_price: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: 'Highest total of these items in BRL. Absent if no items are available.',
      }),
    ),
  },
  { description: 'Summary of the items that are available for one stay.' },
);

/** docs/reference/rules.md#meta. */
const FeedMeta = Type.Object(
  {
    page: Type.Optional(
      Type.Integer({
        format: 'int64',
        minimum: 1,
        maximum: MAX_INT64,
        description: 'Number of this page. Absent in a cursor crawl.',
      }),
    ),
    pageSize: Type.Integer({
      format: 'int32',
      minimum: 1,
      maximum: 100,
      description: 'Page size of this response.',
    }),
    pageCount: count('Number of pages.'),
    total: count('Exact number of items that match the request.'),
    endpoint: Type.String({ description: 'The requested feed: `public-feed`, `ai-feed/rent`, …' }),
    nextCursor: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Value of the `cursor` parameter for the next page of a crawl. Absent on the last page.',
      }),
    ),
    availability: Type.Optional(
      Type.Array(DateSummary, {
        description:
          'One summary per date, from 3 days before to 3 days after the requested dates, but not before ' +
          'today. Each summary counts the items that match every other filter. Present on the agent feed ' +
          'if the request contains a date.',
      }),
    ),
    stays: Type.Optional(
      Type.Array(StaySummary, {
        description:
          'One summary per stay: with `nights`, per first night of the window; otherwise for the range and its ' +
          'shifts by up to 3 days. No stay begins before today. Each summary counts the items that match every ' +
          'other filter, whatever their totals. Present on the agent feed if the request has `nights`, ' +
          '`sort=total_price` or a limit of the total.',
      }),
    ),
    generatedAt: Type.String({
      format: 'date-time',
      description: 'When the service created this representation. A cached copy keeps this time.',
    }),
  },
  { description: 'Position of the page in the feed.' },
);

/** The body of a successful response from the catalog feed. Rule: docs/reference/rules.md#feed-response */
export const FeedResponse = Type.Object(
  { data: Type.Array(FeedItem, { description: 'The items of the requested page.' }), meta: FeedMeta },
  { description: 'A page of the catalog feed.' },
);

/** The body of a successful response from the agent feed. Rule: docs/reference/rules.md#feed-response */
export const AgentFeedResponse = Type.Object(
  { data: Type.Array(AgentFeedItem, { description: 'The items of the requested page.' }), meta: FeedMeta },
  { description: 'A page of the agent feed.' },
);

export const ParameterError = Type.Object(
  { parameter: Type.String(), detail: Type.String() },
  { description: 'A rejected parameter and the reason.' },
);

/** The body of every error response: RFC 9457 §3, with `errors` as an extension member. */
export const ProblemDetails = Type.Object(
  {
    type: Type.String({
      format: 'uri-reference',
      description:
        'Identifies the kind of problem, and leads to a page with its cause and remedy. Later releases may add ' +
        'types, so a client treats an unknown type as its status.',
    }),
    title: Type.String({ description: 'Short summary of the kind of problem.' }),
    status: Type.Integer({ format: 'int32', minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'Explanation of this particular error.' }),
    errors: Type.Optional(Type.Array(ParameterError, { description: 'Every rejected parameter.' })),
  },
  { description: 'Problem details of an error response (RFC 9457).' },
);

export type FeedResponse = Static<typeof FeedResponse>;
export type AgentFeedItem = Static<typeof AgentFeedItem>;
export type AgentFeedResponse = Static<typeof AgentFeedResponse>;
export type ProblemDetails = Static<typeof ProblemDetails>;

/** The named schemas of the feeds and of problems in the OpenAPI document. */
export const FEED_SCHEMAS = {
  FeedResponse,
  AgentFeedResponse,
  FeedMeta,
  FeedItem,
  AgentFeedItem,
  Location,
  Provider,
  Availability,
  DateSummary,
  Stay,
  StaySummary,
  Problem: ProblemDetails,
  ParameterError,
} as const;

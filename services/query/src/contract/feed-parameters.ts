import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { type Static, Type } from 'typebox';

/** The largest integer that every JSON parser represents exactly. */
const MAX_PAGE = Number.MAX_SAFE_INTEGER;
const MAX_PAGE_SIZE = 100;
/** Maximum number of dates in a range, both ends included. */
export const MAX_RANGE_DAYS = 31;

const slug = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }));
const calendarDate = (description: string, example: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: [example] }));
const decimal = (bound: number, description: string, example: number) =>
  Type.Optional(Type.Number({ minimum: -bound, maximum: bound, description, examples: [example] }));

/** Source: docs/decisions/0025-bounded-pages.md. */
const PAGE_SIZE =
  'Maximum number of items per page. If the items together exceed 8 MiB, a cursor page contains fewer ' +
  'items, and a numbered page receives 400.';

/** The form, default and description of every query parameter. Rule: docs/reference/rules.md#requests. */
export const FeedParameters = Type.Object({
  page: Type.Integer({
    format: 'int64',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
    description:
      'Page number, from 1. A request must not contain both `page` and `cursor`. A page at any ' +
      'depth costs about as much as page 1. The exception is a page beyond 1,000 items with `lat` and `lng`: the ' +
      'first such page for a point counts all matching items by distance. The service limits the number of ' +
      'concurrent counts, and returns 503 with `Retry-After` beyond the limit. To crawl by distance, use ' +
      '`cursor`.',
  }),
  pageSize: Type.Integer({
    format: 'int32',
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
    default: 20,
    description: PAGE_SIZE,
  }),
  cursor: Type.Optional(
    Type.String({
      pattern: '^(\\*|[A-Za-z0-9_-]+)$',
      maxLength: 2_048,
      description:
        'Opaque position of a crawl, which misses no items while others are added and removed. `*` starts ' +
        'a crawl. The `meta.nextCursor` of a response continues the crawl with the same filters. The last ' +
        'page has no `meta.nextCursor`. A request must not contain both `cursor` and `page`.',
      examples: ['*'],
    }),
  ),
  city: slug(
    'Selects items in this city. The service compares slugs: `São Paulo` is equal to `sao-paulo`.',
    'sao-paulo',
  ),
  cidade: slug('Legacy name of `city`.', 'sao-paulo'),
  category: slug('Selects items of this category. The service compares slugs.', 'entire-home-apt'),
  categoria: slug('Legacy name of `category`.', 'entire-home-apt'),
  sub_category: slug('Selects items of this sub-category. The service compares slugs.', 'private-room'),
  subcategoria: slug('Legacy name of `sub_category`.', 'private-room'),
  date: calendarDate(
    'Selects items that are available on this date. On the agent feed, `availability` then contains only ' +
      'this date, and `meta.availability` summarizes the neighboring dates.',
    '2027-01-15',
  ),
  data: calendarDate('Legacy name of `date`.', '2027-01-15'),
  date_to: calendarDate(
    `Last date of a range that begins at \`date\` and has at most ${MAX_RANGE_DAYS} dates. Selects items ` +
      'that are available on every date of the range. Requires `date`, and must not be earlier than `date`.',
    '2027-01-18',
  ),
  lat: decimal(90, 'Latitude of a point, in degrees. Sorts the nearest items first. Requires `lng`.', -23.55),
  lng: decimal(
    180,
    'Longitude of a point, in degrees. Sorts the nearest items first. Requires `lat`.',
    -46.63,
  ),
  localOnly: Type.Optional(
    Type.Enum(['true', '1', 'on', 'false', '0', 'off'], {
      type: 'string',
      description:
        '`true`, `1` or `on` limits the feed to items near the point given by `lat` and `lng`, which are ' +
        'then required. `false`, `0` and `off` have no effect. Case-insensitive.',
      examples: ['true'],
    }),
  ),
});

export type FeedParameters = Static<typeof FeedParameters>;
export type ParameterName = keyof FeedParameters;

const INTEGER = /^[0-9]+$/;
const DECIMAL = /^-?[0-9]+(\.[0-9]+)?([eE]-?[0-9]+)?$/;
/** The accepted forms of numbers. `Number()` alone would also accept '0x1', '+1', '1.' and ' 1'. */
const NUMBERS = { page: INTEGER, pageSize: INTEGER, lat: DECIMAL, lng: DECIMAL } as const;

const DATE_EXPECTED = 'must be a calendar date, written YYYY-MM-DD';
/** The error detail for each parameter. Text parameters have no entries because every text is well-formed. */
const EXPECTED: Partial<Record<ParameterName, string>> = {
  page: `must be a decimal integer from 1 to ${MAX_PAGE}`,
  pageSize: `must be a decimal integer from 1 to ${MAX_PAGE_SIZE}`,
  cursor: 'must be * or a nextCursor of this feed',
  date: DATE_EXPECTED,
  data: DATE_EXPECTED,
  date_to: DATE_EXPECTED,
  lat: 'must be a decimal number from -90 to 90',
  lng: 'must be a decimal number from -180 to 180',
  localOnly: 'must be true, 1, on, false, 0 or off',
};

export const PARAMETER_NAMES = Object.keys(FeedParameters.properties) as ParameterName[];

/**
 * The legacy names that the service accepts instead of the current names
 * (docs/reference/rules.md#legacy-names).
 */
export const LEGACY_ALIASES = {
  city: 'cidade',
  category: 'categoria',
  sub_category: 'subcategoria',
  date: 'data',
} as const;

/** A rejected parameter, in the form of a problem document's `errors` member. */
export interface BadParameter {
  parameter: string;
  detail: string;
}

const ajv = new Ajv({ allErrors: true, useDefaults: true });
ajvFormats.default(ajv, ['date', 'int32', 'int64']);
const validate = ajv.compile<FeedParameters>(FeedParameters);

/**
 * Checks the form of each given value and adds the defaults.
 * @param values decoded texts by parameter name
 * @returns the typed parameters, with the default in place of each rejected value, and every rejected
 * parameter
 */
export function checkForms(values: Partial<Record<ParameterName, string>>): {
  parameters: FeedParameters;
  bad: BadParameter[];
} {
  const typed: Partial<Record<ParameterName, string | number>> = { ...values };
  for (const [name, form] of Object.entries(NUMBERS) as [keyof typeof NUMBERS, RegExp][]) {
    const text = values[name];
    if (text !== undefined && form.test(text)) typed[name] = Number(text);
  }
  // Python's `requests` sends a boolean as `True`.
  if (values.localOnly !== undefined) typed.localOnly = values.localOnly.toLowerCase();
  validate(typed);
  const refused = new Set(
    (validate.errors ?? []).map(({ instancePath }) => instancePath.slice(1) as ParameterName),
  );
  for (const name of refused) delete typed[name];
  const bad = [...refused].map((parameter) => ({ parameter, detail: EXPECTED[parameter] ?? 'is malformed' }));
  if (!validate(typed))
    throw new Error('the schema rejected parameters that had passed the form check', {
      cause: validate.errors,
    });
  return { parameters: typed, bad };
}

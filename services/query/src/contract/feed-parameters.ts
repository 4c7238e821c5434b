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
  'Items per page. Very large items (more than 8 MiB together) make a page by cursor shorter, and are 400 ' +
  'for a page by number.';

/**
 * Form, default and description of every query parameter. docs/reference/rules.md#requests.
 */
export const FeedParameters = Type.Object({
  page: Type.Integer({
    format: 'int64',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
    description:
      'Page number, 1-based. Not together with `cursor`. Any depth costs about as much as page 1, except ' +
      'with `lat` and `lng`: beyond 1,000 items, the first page at a point counts all matching items by ' +
      'distance. Few such counts run at the same time; further ones receive 503 with `Retry-After`. To ' +
      'crawl by distance, use `cursor`.',
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
        'Crawls all pages without missing an item while others are added and removed. `*` starts a crawl. ' +
        'The `meta.nextCursor` of each response continues it, with the same filters, and the last page ' +
        'has none. Opaque. Not together with `page`.',
      examples: ['*'],
    }),
  ),
  city: slug('Only items in this city. Compared as slugs: `São Paulo` is `sao-paulo`.', 'sao-paulo'),
  cidade: slug('Legacy name of `city`.', 'sao-paulo'),
  category: slug('Only items of this category. Compared as slugs.', 'entire-home-apt'),
  categoria: slug('Legacy name of `category`.', 'entire-home-apt'),
  sub_category: slug('Only items of this sub-category. Compared as slugs.', 'private-room'),
  subcategoria: slug('Legacy name of `sub_category`.', 'private-room'),
  date: calendarDate(
    'Only items that can be taken on this date. On the agent feed, `availability` contains only this ' +
      'date, and `meta.availability` summarizes the dates around it.',
    '2027-01-15',
  ),
  data: calendarDate('Legacy name of `date`.', '2027-01-15'),
  date_to: calendarDate(
    `Last date of a range that begins at \`date\` and has at most ${MAX_RANGE_DAYS} dates. Only items ` +
      `that can be taken on every date of the range. Requires \`date\` and is not before it.`,
    '2027-01-18',
  ),
  lat: decimal(
    90,
    'Latitude of a point, in degrees. The items nearest to the point come first. Only together with `lng`.',
    -23.55,
  ),
  lng: decimal(
    180,
    'Longitude of a point, in degrees. The items nearest to the point come first. Only together with `lat`.',
    -46.63,
  ),
  localOnly: Type.Optional(
    Type.Enum(['true', '1', 'on', 'false', '0', 'off'], {
      type: 'string',
      description:
        'On (`true`, `1`, `on`): only items near the point, which is required then. Off: `false`, `0`, ' +
        '`off`. The service accepts any letter case.',
      examples: ['true'],
    }),
  ),
});

export type FeedParameters = Static<typeof FeedParameters>;
export type ParameterName = keyof FeedParameters;

const INTEGER = /^[0-9]+$/;
const DECIMAL = /^-?[0-9]+(\.[0-9]+)?([eE]-?[0-9]+)?$/;
/** The accepted forms of numbers. Number() alone would also accept '0x1', '+1', '1.' and ' 1'. */
const NUMBERS = { page: INTEGER, pageSize: INTEGER, lat: DECIMAL, lng: DECIMAL } as const;

const DATE_EXPECTED = 'must be a calendar date, written YYYY-MM-DD';
/** The error detail per parameter. Text parameters have none, because every text is well-formed. */
const EXPECTED: Partial<Record<ParameterName, string>> = {
  page: `must be a decimal integer from 1 to ${MAX_PAGE}`,
  pageSize: `must be a decimal integer from 1 to ${MAX_PAGE_SIZE}`,
  cursor: 'must be * or a nextCursor of this feed',
  date: DATE_EXPECTED,
  data: DATE_EXPECTED,
  date_to: DATE_EXPECTED,
  lat: 'must be a decimal number from -90 to 90',
  lng: 'must be a decimal number from -180 to 180',
  localOnly: 'must be true, 1 or on, or false, 0 or off',
};

export const PARAMETER_NAMES = Object.keys(FeedParameters.properties) as ParameterName[];

/**
 * The legacy names, which the service accepts in place of the current names
 * (docs/reference/rules.md#legacy-names).
 */
export const LEGACY_ALIASES = {
  city: 'cidade',
  category: 'categoria',
  sub_category: 'subcategoria',
  date: 'data',
} as const;

/** One refused parameter, as a problem document's `errors` lists it. */
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
 * @returns the typed parameters, with the default in place of each refused value, and every refused parameter
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
  if (!validate(typed)) throw new Error('the well-formed parameters are refused', { cause: validate.errors });
  return { parameters: typed, bad };
}

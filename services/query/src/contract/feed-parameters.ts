import { AD_TYPE_SEGMENTS } from '@vitrine/feed-index/ad-types';
import { FILTER_NAMES, FILTERS, type FilterName } from '@vitrine/feed-index/filters';
import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { type Static, type TSchema, Type } from 'typebox';
import { type BadParameter, MAX_LIST_VALUES } from '../filters/filter.ts';
import { PARAMETERS } from '../filters/index.ts';

/** The largest integer that every JSON parser represents exactly. */
const MAX_PAGE = Number.MAX_SAFE_INTEGER;
const MAX_PAGE_SIZE = 100;

/** Source: docs/decisions/0025-bounded-pages.md. */
const PAGE_SIZE =
  'Maximum number of items per page. If the items together exceed 8 MiB, a cursor page contains fewer ' +
  'items, and a numbered page receives 400.';

/** The form, default and description of the parameters that select a page. */
const Paging = Type.Object({
  page: Type.Integer({
    format: 'int64',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
    description:
      'Page number, from 1. A request must not contain both `page` and `cursor`. A page at any ' +
      'depth costs about as much as page 1, with two exceptions. The first page beyond 1,000 items for a point ' +
      '(`lat` and `lng`) counts all matching items by distance. The service limits the number of concurrent ' +
      'counts, and returns 503 with `Retry-After` beyond the limit. To crawl by distance, use `cursor`. A page ' +
      'by `total_price`, or with a limit on the total, costs more for each item whose nightly prices are on ' +
      "both sides of the page's totals or of the limit. With tens of thousands of these items, the response " +
      'can be 503, even if the client tries again.',
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
});

const TRUE = ['true', '1', 'on'];
const FALSE = ['false', '0', 'off'];

const listPattern = (values: readonly string[]): string => {
  const one = `(${values.join('|')})`;
  return `^${one}(,${one}){0,${MAX_LIST_VALUES - 1}}$`;
};

/** Returns the schema of a query parameter, which depends on the form of its filter. */
function schemaOf(name: FilterName, texts: { description: string; examples: unknown[] }): TSchema {
  const { kind, integer, list, minimum, maximum, values = [] } = FILTERS[name];
  const bounds = { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
  if (integer) return Type.Integer({ format: 'int32', ...bounds, ...texts });
  if (kind === 'number') return Type.Number({ ...bounds, ...texts });
  if (kind === 'date') return Type.String({ format: 'date', ...texts });
  if (kind === 'flag') return Type.Enum([...TRUE, ...FALSE], { type: 'string', ...texts });
  if (kind === 'choice' && list) return Type.String({ pattern: listPattern(AD_TYPE_SEGMENTS), ...texts });
  if (kind === 'choice') return Type.Enum([...values], { type: 'string', ...texts });
  return Type.String(texts);
}

/**
 * The legacy names that the service accepts instead of the current names
 * (docs/reference/rules.md#legacy-names).
 */
export const LEGACY_ALIASES = Object.fromEntries(
  FILTER_NAMES.flatMap((name) => {
    const { alias } = FILTERS[name];
    return alias === undefined ? [] : [[name, alias]];
  }),
) as { readonly [N in FilterName]?: string };

export const LEGACY_NAMES: readonly string[] = Object.values(LEGACY_ALIASES);

/** The filters that are query parameters. Each is followed by its legacy name. */
const properties: Record<string, TSchema> = { ...Paging.properties };
const OWNERS = new Map<string, FilterName>();
for (const [name, { feeds }] of Object.entries(PARAMETERS) as [
  FilterName,
  (typeof PARAMETERS)[FilterName],
][]) {
  if (!feeds) continue;
  const examples = [feeds.example];
  const alias = LEGACY_ALIASES[name];
  const described: [string, string][] = [[name, feeds.description]];
  if (alias !== undefined) described.push([alias, `Legacy name of \`${name}\`.`]);
  for (const [parameter, description] of described) {
    properties[parameter] = Type.Optional(schemaOf(name, { description, examples }));
    OWNERS.set(parameter, name);
  }
}

/** The form, default and description of every query parameter. Rule: docs/reference/rules.md#requests. */
export const FeedParameters = Type.Object(properties);
export const PARAMETER_NAMES: readonly string[] = Object.keys(properties);

const INTEGER = /^[0-9]+$/;
const DECIMAL = /^-?[0-9]+(\.[0-9]+)?([eE]-?[0-9]+)?$/;
/** A number without an upper bound can be so large that JSON writes its exponent with a plus sign. */
const UNBOUNDED = /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
/** Returns the accepted form of a number. `Number()` alone would also accept '0x1', '+1', '1.' and ' 1'. */
function numberForm(parameter: string): RegExp | undefined {
  const filter = OWNERS.get(parameter);
  if (filter === undefined) return parameter === 'cursor' ? undefined : INTEGER;
  const { kind, integer, maximum } = FILTERS[filter];
  if (kind !== 'number') return undefined;
  if (integer) return INTEGER;
  return maximum === undefined ? UNBOUNDED : DECIMAL;
}

/** The error details of the parameters that select a page. */
const EXPECTED: Record<keyof Static<typeof Paging>, string> = {
  page: `must be a decimal integer from 1 to ${MAX_PAGE}`,
  pageSize: `must be a decimal integer from 1 to ${MAX_PAGE_SIZE}`,
  cursor: 'must be * or a nextCursor of this feed',
};

/** Returns the error detail of a malformed parameter. The value of a text filter is never malformed. */
function expected(parameter: string): string {
  const filter = OWNERS.get(parameter);
  if (filter === undefined) return EXPECTED[parameter as keyof typeof EXPECTED];
  const { kind, integer, list, minimum, maximum, values = [] } = FILTERS[filter];
  if (kind === 'date') return 'must be a calendar date, written YYYY-MM-DD';
  if (kind === 'flag') return `must be ${[...TRUE, ...FALSE].join(', ').replace(/, (\w+)$/, ' or $1')}`;
  if (kind === 'choice')
    return list
      ? `must be one of ${values.join(', ')}, or at most ${MAX_LIST_VALUES} of them, separated by commas`
      : `must be one of ${values.join(', ')}`;
  if (kind !== 'number') return 'is malformed';
  return `must be a decimal ${integer ? 'integer' : 'number'}${minimum === undefined ? '' : ` from ${minimum}`}${maximum === undefined ? '' : ` to ${maximum}`}`;
}

/** The parameters that select a page, and the values of the other parameters by their names. */
export type TypedParameters = Static<typeof Paging> & Readonly<Record<string, unknown>>;

const ajv = new Ajv({ allErrors: true, useDefaults: true });
ajvFormats.default(ajv, ['date', 'int32', 'int64']);
const validate = ajv.compile<TypedParameters>(FeedParameters);

/**
 * Checks the form of each given value and adds the defaults.
 * @param values decoded strings by parameter name
 * @returns the typed parameters, with the default in place of each rejected value, and every rejected
 * parameter
 */
export function checkForms(values: { readonly [parameter: string]: string | undefined }): {
  parameters: TypedParameters;
  bad: BadParameter[];
} {
  const typed: Record<string, unknown> = { ...values };
  for (const [name, text] of Object.entries(values)) {
    if (text === undefined) continue;
    if (numberForm(name)?.test(text)) typed[name] = Number(text);
    // Python's `requests` sends a boolean as `True`.
    if (isFlag(name)) typed[name] = text.toLowerCase();
  }
  const isValid = validate(typed);
  const refused = new Set((validate.errors ?? []).map(({ instancePath }) => instancePath.slice(1)));
  for (const name of refused) delete typed[name];
  const bad = [...refused].map((parameter) => ({ parameter, detail: expected(parameter) }));
  if (!isValid && !validate(typed))
    throw new Error('the schema rejected parameters that had passed the form check', {
      cause: validate.errors,
    });
  const flags = Object.keys(values).filter((name) => isFlag(name) && typed[name] !== undefined);
  return {
    parameters: {
      ...typed,
      ...Object.fromEntries(flags.map((name) => [name, TRUE.includes(String(typed[name]))])),
    },
    bad,
  };
}

const isFlag = (parameter: string): boolean => {
  const filter = OWNERS.get(parameter);
  return filter !== undefined && FILTERS[filter].kind === 'flag';
};

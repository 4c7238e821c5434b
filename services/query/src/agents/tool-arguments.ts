import type { AdType } from '@vitrine/feed-index/ad-types';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { BadParameter } from '../contract/feed-parameters.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { decodeCursor } from '../request/cursor.ts';
import { readFeedRequest } from '../request/feed-request.ts';
import type { InputSchema } from './argument-schemas.ts';

export interface BadArgument {
  argument: string;
  detail: string;
}

/** The arguments of a call are malformed. The message names each of them. */
export class BadArguments extends Error {
  readonly bad: readonly BadArgument[];

  constructor(bad: readonly BadArgument[]) {
    super(`Invalid arguments.\n${bad.map(({ argument, detail }) => `${argument}: ${detail}`).join('\n')}`);
    this.name = 'BadArguments';
    this.bad = bad;
  }
}

/** The arguments that are filters, as every tool with filters receives them. */
export interface FilterArguments {
  ad_type?: AdType;
  city?: string;
  category?: string;
  sub_category?: string;
  date?: string;
  date_to?: string;
  lat?: number;
  lng?: number;
  local_only?: boolean;
  min_price?: number;
  max_price?: number;
}

/** The names of the same filters in a feed request. */
const PARAMETERS = {
  city: 'city',
  category: 'category',
  sub_category: 'sub_category',
  date: 'date',
  date_to: 'date_to',
  lat: 'lat',
  lng: 'lng',
  local_only: 'localOnly',
} as const satisfies Partial<Record<keyof FilterArguments, string>>;
const ARGUMENTS = new Map<string, string>([
  ...Object.entries(PARAMETERS).map(([argument, parameter]): [string, string] => [parameter, argument]),
  ['pageSize', 'limit'],
]);

const MAX_NAME = 40;
/** Maximum number of malformed arguments that a refusal names. No tool has more arguments. */
const MAX_NAMED = 20;

/**
 * Creates a function that checks the arguments of a tool and adds the defaults. It ignores members that are
 * null, because many clients send them for arguments that they leave out.
 */
export function argumentReader<Arguments extends object>(schema: InputSchema): (given: unknown) => Arguments {
  const check = addFormats
    .default(new Ajv({ allErrors: true, useDefaults: true, strict: false }))
    .compile<Arguments>(schema);
  return (given = {}) => {
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    if (!isObject) throw new BadArguments([{ argument: 'arguments', detail: 'must be an object' }]);
    const args: unknown = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
    if (check(args)) return args;
    throw new BadArguments(namedOnce(check.errors ?? [], schema));
  };
}

function badArgument(error: ErrorObject, { properties }: InputSchema): BadArgument {
  const { keyword, instancePath, message = 'is invalid' } = error;
  const params = error.params as Record<string, unknown>;
  const known = Object.keys(properties).join(', ');
  if (keyword === 'additionalProperties')
    return {
      argument: JSON.stringify(String(params['additionalProperty']).slice(0, MAX_NAME)),
      detail: `is unknown. The arguments are ${known}`,
    };
  if (keyword === 'required') return { argument: String(params['missingProperty']), detail: 'is required' };
  const argument = instancePath.slice(1);
  if (keyword === 'enum')
    return { argument, detail: `must be one of ${(params['allowedValues'] as string[]).join(', ')}` };
  if (keyword === 'format') return { argument, detail: 'must be an existing date, YYYY-MM-DD' };
  return { argument, detail: message };
}

/** One reason per argument is enough. The work and the length do not grow with the number of errors. */
function namedOnce(errors: readonly ErrorObject[], schema: InputSchema): BadArgument[] {
  const named = new Map<string, BadArgument>();
  for (const [i, error] of errors.entries()) {
    const bad = badArgument(error, schema);
    if (!named.has(bad.argument)) named.set(bad.argument, bad);
    const more = errors.length - i - 1;
    if (named.size === MAX_NAMED && more > 0)
      return [...named.values(), { argument: 'arguments', detail: `have ${more} further errors` }];
  }
  return [...named.values()];
}

/**
 * Reads the filters with the rules of the agent feed. Rule: docs/reference/rules.md#requests.
 * @throws BadArguments
 */
export function criteriaOf(args: FilterArguments, limit: number, cursor?: string): FeedCriteria {
  const { ad_type: adType, min_price: minPrice, max_price: maxPrice } = args;
  const parameters = new URLSearchParams({ pageSize: String(limit), cursor: '*' });
  for (const [argument, parameter] of Object.entries(PARAMETERS) as [keyof typeof PARAMETERS, string][]) {
    const value = args[argument];
    if (value !== undefined)
      parameters.set(parameter, typeof value === 'string' ? value.toWellFormed() : plain(value));
  }
  const read = readFeedRequest('ai-feed', adType, parameters.toString());
  const bad = 'bad' in read ? read.bad.map(renamed) : [];
  if (minPrice !== undefined && maxPrice !== undefined && minPrice > maxPrice)
    bad.push({ argument: 'min_price', detail: 'must not be above max_price' });
  if ('bad' in read || bad.length > 0) throw new BadArguments(bad);
  const criteria = {
    ...read,
    ...(minPrice !== undefined && { minPrice }),
    ...(maxPrice !== undefined && { maxPrice }),
  };
  if (cursor === undefined) return criteria;
  const after = decodeCursor(criteria, cursor);
  if (typeof after !== 'string') return { ...criteria, after };
  const detail =
    after === 'malformed'
      ? 'must be the next_cursor of an answer'
      : 'belongs to other filters. Repeat the filters of the answer that contained it';
  throw new BadArguments([{ argument: 'cursor', detail }]);
}

/** Writes a number without an exponent, as the feed's parameters require. */
function plain(value: number | boolean): string {
  if (typeof value === 'boolean') return String(value);
  return String(value).includes('e') ? value.toFixed(12) : String(value);
}

const renamed = ({ parameter, detail }: BadParameter): BadArgument => ({
  argument: ARGUMENTS.get(parameter) ?? parameter,
  detail: [...ARGUMENTS].reduce((text, [from, to]) => text.replaceAll(from, to), detail),
});

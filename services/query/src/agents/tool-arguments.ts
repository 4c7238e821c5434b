import {
  argumentOf,
  FILTER_NAMES,
  FILTERS,
  type FilterArguments,
  type FilterName,
  filterOfArgument,
} from '@vitrine/feed-index/filters';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { BadParameter } from '../filters/filter.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { decodeCursor } from '../request/cursor.ts';
import { readFilters, type WrittenValues } from '../request/feed-request.ts';
import type { Shown } from './answer-text.ts';
import type { InputSchema } from './argument-schemas.ts';
import { meantArguments } from './meant-arguments.ts';

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

const MAX_NAME = 40;
/** Maximum number of malformed arguments that a refusal names. No tool has more arguments. */
const MAX_NAMED = 20;

/** The arguments of a call, and the changes to them that the caller must know. */
export interface ReadArguments<Arguments> {
  args: Arguments;
  notes: Shown[];
}

/**
 * Creates a function that checks the arguments of a tool and adds the defaults. It first reads the values as
 * `meantArguments` describes, because clients and models send them in forms that the schema does not allow.
 */
export function argumentReader<Arguments extends object>(
  schema: InputSchema,
): (given: unknown) => ReadArguments<Arguments> {
  const check = addFormats
    .default(new Ajv({ allErrors: true, useDefaults: true, strict: false, strictNumbers: true }))
    .compile<Arguments>(withDates(schema));
  return (sent) => {
    const given = sent ?? {};
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    if (!isObject) throw new BadArguments([{ argument: 'arguments', detail: 'must be an object' }]);
    const { args, notes } = meantArguments(given, schema);
    if (check(args)) return { args, notes };
    throw new BadArguments(namedOnce(check.errors ?? [], schema));
  };
}

/** The published schemas have no formats. */
const withDates = ({ properties, ...schema }: InputSchema): object => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(properties).map(([argument, property]) => {
      const name = filterOfArgument(argument);
      const isDate = name !== undefined && FILTERS[name].kind === 'date';
      return [argument, isDate ? { ...property, format: 'date' } : property];
    }),
  ),
});

function badArgument(error: ErrorObject, { properties }: InputSchema): BadArgument {
  const { keyword, instancePath } = error;
  const params = error.params as Record<string, unknown>;
  const known = Object.keys(properties).join(', ');
  if (keyword === 'additionalProperties')
    return {
      argument: JSON.stringify(String(params['additionalProperty']).slice(0, MAX_NAME)),
      detail: `is unknown. The arguments are ${known}`,
    };
  const argument =
    keyword === 'required' ? String(params['missingProperty']) : (instancePath.split('/')[1] ?? '');
  return { argument, detail: reasonOf(error) };
}

/** Says what is wrong with a value, in words that can follow the value's name. */
export function reasonOf({ keyword, params, message = 'is invalid' }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'enum')
    return `must be one of ${(params as { allowedValues: string[] }).allowedValues.join(', ')}`;
  return keyword === 'format' ? 'must be a valid date, YYYY-MM-DD' : message;
}

/**
 * One reason per argument is enough. Neither the work nor the message grows with the number of errors.
 */
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
 * Reads the filters by the rules of the agent feed. Rule: docs/reference/rules.md#requests.
 * @param args well-formed values
 * @throws BadArguments
 */
export function criteriaOf(args: FilterArguments, limit: number, cursor?: string): FeedCriteria {
  const { criteria: filters, bad } = readFilters(filterValues(args));
  if (bad.length > 0) throw new BadArguments(bad.map(renamed));
  const criteria = { feed: 'ai-feed' as const, pageSize: limit, ...filters };
  if (cursor === undefined) return criteria;
  const after = decodeCursor(criteria, cursor);
  if (typeof after !== 'string') return { ...criteria, after };
  const detail =
    after === 'malformed'
      ? 'must be the next_cursor of an answer'
      : 'belongs to other filters. Repeat the filters of the answer that contained it';
  throw new BadArguments([{ argument: 'cursor', detail }]);
}

/** Returns the values of the filters by the names of the feeds' parameters. */
const filterValues = (args: FilterArguments): WrittenValues =>
  Object.fromEntries(
    FILTER_NAMES.map((name) => [name, args[argumentOf(name)]] as const)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => [name, wellFormed(value)]),
  );

function wellFormed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wellFormed);
  return typeof value === 'string' ? value.toWellFormed() : value;
}

const renamed = ({ parameter, detail }: BadParameter): BadArgument => ({
  argument: argumentOf(parameter as FilterName),
  detail,
});

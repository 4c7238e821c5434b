import type { FilterArguments } from '@vitrine/feed-index/filters';
import { slugify, wordsOf } from '@vitrine/listing/text';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import type { Stay } from '../agents/calendar.ts';
import { BadArguments, criteriaOf, reasonOf } from '../agents/tool-arguments.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { decodeCursor } from '../request/cursor.ts';
import { info, type Message, UcpRefusal } from './messages.ts';
import {
  DEFAULT_LIMIT,
  EXTENSION_FILTERS,
  type FiltersBody,
  LookupBody,
  MAX_LIMIT,
  ProductBody,
  SearchBody,
} from './request-schemas.ts';

/** The meaning of a request's filters. */
export interface ReadFilters {
  criteria: FeedCriteria;
  /** The requested dates. */
  stay?: Stay;
  /** Whether the request uses a filter of the extension. */
  usesExtension: boolean;
  /** Messages that tell the client about filters without an effect. */
  messages: Message[];
}

/** Maximum number of different ids in a lookup. */
const MAX_IDS = 50;
const CENTAVOS = 100;
const CURRENCY = 'BRL';
const MAX_NAMED = 10;
const MAX_NAME = 40;
/** The deepest object with members that the catalog reads: filters.price. */
const READ_DEPTH = 3;
const CATALOG_FILTERS: readonly string[] = ['categories', 'price'];

const ajv = addFormats.default(new Ajv({ allErrors: true, strict: false }), ['date']);
const [checkSearch, checkLookup, checkProduct] = [SearchBody, LookupBody, ProductBody].map(
  (schema: TSchema) => ajv.compile(schema),
);

/**
 * Reads a search request. Rule: docs/reference/ucp.md#search.
 * @throws UcpRefusal
 */
export function readSearch(given: unknown): ReadFilters {
  const body = checked<SearchBody>(checkSearch, given);
  const { limit = DEFAULT_LIMIT, cursor } = body.pagination ?? {};
  const query = body.query?.toWellFormed().trim();
  const filters = readFilters(body, Math.min(limit, MAX_LIMIT));
  if (!query && !hasFilter(body.filters))
    throw new UcpRefusal('invalid_request', 'A search needs a query or at least one known filter.');
  const criteria = { ...filters.criteria, ...(query && { words: searchedWords(query) }) };
  if (cursor === undefined) return { ...filters, criteria };
  const after = decodeCursor(criteria, cursor);
  if (typeof after === 'string')
    throw new UcpRefusal(
      'invalid_cursor',
      after === 'malformed'
        ? 'pagination.cursor must be the cursor of a response.'
        : 'pagination.cursor belongs to another query or other filters.',
    );
  return { ...filters, criteria: { ...criteria, after } };
}

/**
 * Returns the words that a title must contain. If the query has no letters and digits, or if its words exceed
 * the limits of `wordsOf`, returns the empty word, which no title contains.
 */
function searchedWords(query: string): string[] {
  const words = wordsOf(query).sort();
  const given = new Set((slugify(query) ?? '').split('-'));
  return words.length === given.size ? words : [''];
}

/**
 * Reads a lookup request.
 * @returns each id once
 * @throws UcpRefusal
 */
export function readLookup(given: unknown): ReadFilters & { ids: string[] } {
  const body = checked<LookupBody>(checkLookup, given);
  const ids = [...new Set(body.ids)];
  if (ids.length > MAX_IDS)
    throw new UcpRefusal(
      'request_too_large',
      `A lookup has at most ${MAX_IDS} ids, but this one ${ids.length}.`,
    );
  return { ...readFilters(body, MAX_IDS), ids };
}

/** @throws UcpRefusal */
export function readProduct(given: unknown): ReadFilters & { id: string } {
  const body = checked<ProductBody>(checkProduct, given);
  return { ...readFilters(body, 1), id: body.id };
}

function checked<Body>(check: typeof checkSearch, given: unknown): Body {
  const body = withoutAbsent(given, READ_DEPTH);
  if (check?.(body)) return body as Body;
  const details = [...new Set((check?.errors ?? []).map(detailOf))].slice(0, MAX_NAMED);
  throw new UcpRefusal('invalid_request', `The request is invalid: ${details.join('; ')}.`);
}

/** Many clients send null or an empty string for a member that they leave out. */
function withoutAbsent(value: unknown, depth: number): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== '')
      .map(([name, member]) => [name, withoutAbsent(member, depth - 1)]),
  );
}

function detailOf(error: ErrorObject): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  const { missingProperty = path || 'the body' } = error.params as { missingProperty?: string };
  return `${missingProperty} ${reasonOf(error)}`;
}

/** Returns whether a filter of the catalog or of the extension is present and not empty. */
const hasFilter = (filters: FiltersBody = {}): boolean =>
  Object.entries(filters).some(([name, value]) => {
    if (name === 'categories') return (value as string[]).length > 0;
    if (name === 'price') return Object.keys(value as object).some((limit) => /^(min|max)$/.test(limit));
    return Object.hasOwn(EXTENSION_FILTERS, name) && String(value).trim() !== '';
  });

function readFilters({ filters = {}, context }: SearchBody, limit: number): ReadFilters {
  const { categories = [], price = {}, ...others } = filters;
  const isForeign = (context?.currency ?? CURRENCY).toUpperCase() !== CURRENCY;
  const { min, max } = isForeign ? {} : price;
  if (min !== undefined && max !== undefined && min > max)
    throw new UcpRefusal('invalid_request', 'filters.price.min must not be above filters.price.max.');
  const slugs = [...new Set(categories.map((category) => slugify(category.toWellFormed()) ?? ''))].sort();
  const criteria = refusing(() =>
    criteriaOf(
      {
        ...extensionFilters(others),
        ...(min !== undefined && { min_price: min / CENTAVOS }),
        ...(max !== undefined && { max_price: max / CENTAVOS }),
      },
      limit,
    ),
  );
  const { date: first, dateTo = first } = criteria;
  return {
    criteria: { ...criteria, ...(slugs.length > 0 && { categories: slugs }) },
    ...(first !== undefined && dateTo !== undefined && { stay: { date: first, dateTo } }),
    usesExtension: Object.keys(filters).some((name) => Object.hasOwn(EXTENSION_FILTERS, name)),
    messages: [...currencyMessage(isForeign, Object.keys(price).length > 0), ...unknownFilters(filters)],
  };
}

const extensionFilters = (filters: object): FilterArguments =>
  Object.fromEntries(Object.entries(filters).filter(([name]) => Object.hasOwn(EXTENSION_FILTERS, name)));

/** Converts the error with which the feeds' rules refuse a filter. */
function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadArguments)) throw error;
    const details = error.bad.map(({ argument, detail }) => `filters.${argument} ${detail}`);
    throw new UcpRefusal('invalid_request', `The request is invalid: ${details.join('; ')}.`);
  }
}

/** UCP, "Price Filter": a business may ignore a price filter in another currency, and should say so. */
function currencyMessage(isForeign: boolean, isFiltered: boolean): Message[] {
  if (!isForeign) return [];
  const ignored = isFiltered ? ' The price filter is in another currency, so it was ignored.' : '';
  return [info('currency_unsupported', `All prices are in BRL.${ignored}`)];
}

function unknownFilters(filters: FiltersBody): Message[] {
  const unknown = Object.keys(filters)
    .filter((name) => !CATALOG_FILTERS.includes(name) && !Object.hasOwn(EXTENSION_FILTERS, name))
    .slice(0, MAX_NAMED)
    .map((name) => JSON.stringify(name.slice(0, MAX_NAME)));
  return unknown.length === 0
    ? []
    : [
        info(
          'filter_ignored',
          `The catalog does not know these filters and ignored them: ${unknown.join(', ')}.`,
        ),
      ];
}

import {
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  type FilterValues,
  SORTS,
  type Sort,
  withoutDependents,
} from '@vitrine/feed-index/filters';
import { addDays, daysBetween, isDate } from '../components/calendar-dates.ts';

export const FEEDS = ['ai-feed', 'public-feed'] as const;
export type Feed = (typeof FEEDS)[number];

/**
 * The state of the explorer: the feed, its filters and the position. Members have the names of the API's
 * parameters.
 */
export interface SearchState extends FilterValues {
  feed: Feed;
  page?: number;
  cursor?: string;
}

/** A change to the filters. An undefined value removes the filter. */
export type StateChange = { [K in keyof SearchState]?: SearchState[K] | undefined };

/** The properties that a filter control needs. */
export interface FilterProps {
  state: SearchState;
  onChange(change: StateChange): void;
}

/** The maximum number of dates in a request. Rule: docs/reference/rules.md#dates. */
const MAX_DATES = 31;
/** The maximum number of dates in the window for a flexible stay. Rule: docs/reference/rules.md#stays. */
const MAX_WINDOW_DATES = 92;

/** The highest number of dates that a request may have. @param nights the length of a flexible stay */
export const maxDates = (nights: number | undefined): number =>
  nights === undefined ? MAX_DATES : MAX_WINDOW_DATES;

/** The orders that a request with these filters may have, the default order first. */
export function sortsOf({ date, lat }: FilterValues): Sort[] {
  const first: Sort = lat === undefined ? 'newest' : 'distance';
  const allowed = SORTS.filter((sort) => sort !== 'total_price' || date !== undefined);
  return [first, ...allowed.filter((sort) => sort !== first && sort !== 'distance')];
}

/** Leaves out every filter that has no meaning without the others. */
function withMeaning<Values extends FilterValues>(values: Values): Values {
  const kept = withoutDependents(values);
  const [, ...others] = sortsOf(kept);
  if (kept.sort !== undefined && !others.includes(kept.sort)) delete kept.sort;
  return kept;
}

/** Reads the state from the query string of the page's URL. Values without a meaning are left out. */
export function stateOf(query: string): SearchState {
  const given = new URLSearchParams(query);
  const values: FilterValues = Object.fromEntries(
    FILTER_NAMES.map(
      (name) => [name, readValue(name, given.get(FILTERS[name].inUrl ?? name) ?? '')] as const,
    ).filter(([, value]) => value !== undefined),
  );
  const cursor = given.get('cursor');
  const page = Number(given.get('page'));
  return {
    feed: given.get('feed') === 'public-feed' ? 'public-feed' : 'ai-feed',
    ...withMeaning(values),
    ...(cursor && { cursor }),
    ...(Number.isSafeInteger(page) && page > 1 && !cursor && { page }),
  };
}

function readValue(name: FilterName, text: string): string | number | boolean | undefined {
  const { kind, values = [] } = FILTERS[name];
  if (text === '') return undefined;
  if (kind === 'number') return isWithin(name, Number(text)) ? Number(text) : undefined;
  if (kind === 'flag') return text === 'true' ? true : undefined;
  const isMeant = kind === 'date' ? isDate(text) : kind === 'choice' ? values.includes(text) : true;
  return isMeant ? text : undefined;
}

/** Whether the filter accepts this number. */
export function isWithin(name: FilterName, number: number): boolean {
  const { minimum = -Infinity, maximum = Infinity, integer } = FILTERS[name];
  const isWhole = integer === undefined || Number.isInteger(number);
  return Number.isFinite(number) && number >= minimum && number <= maximum && isWhole;
}

/** Writes the state as a query string for the page's URL, empty for the initial state. */
export function queryOf({ feed, page, cursor, ...filters }: SearchState): string {
  const inUrl = FILTER_NAMES.map((name) => [FILTERS[name].inUrl ?? name, filters[name]] as [string, unknown]);
  const position = Object.entries({ page, cursor });
  const query = new URLSearchParams(
    given([['feed', feed === 'ai-feed' ? undefined : feed], ...inUrl, ...position]),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

/** Changes filters. Every change to a filter leads back to the first page. */
export function withFilters({ page: _, cursor, ...filters }: SearchState, change: StateChange): SearchState {
  const next = { ...filters, ...(cursor !== undefined && { cursor: '*' }), ...change };
  const given = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
  return withMeaning(withFittingStay(given as unknown as SearchState, change));
}

/** The change that removes all filters. */
export const withoutFilters = ({ feed, ...filters }: SearchState): StateChange => ({
  ...Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])),
  feed,
});

/** Makes dates and nights fit each other. The value that has just changed stays as it is. */
function withFittingStay({ date_to: last, ...state }: SearchState, change: StateChange): SearchState {
  const { date, nights } = state;
  // A range of one date is that date.
  if (date === undefined || last === undefined || last === date) return state;
  const dates = daysBetween(date, last) + 1;
  if (nights !== undefined && dates < nights) {
    if (change.nights !== undefined) return { ...state, date_to: addDays(date, nights - 1) };
    const { nights: _, ...others } = state;
    return { ...others, date_to: last };
  }
  return { ...state, date_to: dates > maxDates(nights) ? addDays(date, maxDates(nights) - 1) : last };
}

/** The number of items on one of the explorer's pages. */
export const PAGE_SIZE = 12;

/** Returns the path and query of the API request, relative to the base path of the feeds. */
export function requestPath(state: SearchState, pageSize = PAGE_SIZE): string {
  const { feed, ad_type, page, cursor, ...filters } = state;
  const entries = FILTER_NAMES.filter((name) => name !== 'ad_type').map(
    (name) => [name, filters[name]] as [string, unknown],
  );
  const position = cursor === undefined ? { page: page ?? 1 } : { cursor };
  const query = new URLSearchParams(given([...entries, ...Object.entries({ ...position, pageSize })]));
  return `${feed}${ad_type ? `/${ad_type}` : ''}?${query}`;
}

const given = (entries: [string, unknown][]): [string, string][] =>
  entries.flatMap(([name, value]) => (value === undefined || value === false ? [] : [[name, String(value)]]));

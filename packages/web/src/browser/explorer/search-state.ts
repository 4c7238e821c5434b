import {
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  type FilterValues,
  withoutDependents,
} from '@vitrine/feed-index/filters';
import { isDate } from '../components/calendar-dates.ts';

export const FEEDS = ['ai-feed', 'public-feed'] as const;
export type Feed = (typeof FEEDS)[number];

/** What the explorer shows: the feed, its filters and the position. Members have the names of the API's parameters. */
export interface SearchState extends FilterValues {
  feed: Feed;
  page?: number;
  cursor?: string;
}

/** A change of filters. An undefined value removes the filter. */
export type StateChange = { [K in keyof SearchState]?: SearchState[K] | undefined };

/** The filters with a control, in the order of their table. */
const SHOWN = FILTER_NAMES.filter((name) => FILTERS[name].control !== 'none');

/** Reads the state from the query string of the page's URL. Values that cannot be meant are left out. */
export function stateOf(query: string): SearchState {
  const given = new URLSearchParams(query);
  const values: FilterValues = Object.fromEntries(
    SHOWN.map(
      (name) => [name, readValue(name, given.get(FILTERS[name].inUrl ?? name) ?? '')] as const,
    ).filter(([, value]) => value !== undefined),
  );
  const cursor = given.get('cursor');
  const page = Number(given.get('page'));
  return {
    feed: given.get('feed') === 'public-feed' ? 'public-feed' : 'ai-feed',
    ...withoutDependents(values),
    ...(cursor && { cursor }),
    ...(Number.isSafeInteger(page) && page > 1 && !cursor && { page }),
  };
}

function readValue(name: FilterName, text: string): string | number | boolean | undefined {
  const { kind, values = [] } = FILTERS[name];
  if (text === '') return undefined;
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (kind === 'flag') return text === 'true' ? true : undefined;
  const isMeant = kind === 'date' ? isDate(text) : kind === 'choice' ? values.includes(text) : true;
  return isMeant ? text : undefined;
}

/** Writes the state as a query string for the page's URL, empty for the initial state. */
export function queryOf({ feed, page, cursor, ...filters }: SearchState): string {
  const inUrl = SHOWN.map((name) => [FILTERS[name].inUrl ?? name, filters[name]] as [string, unknown]);
  const position = Object.entries({ page, cursor });
  const query = new URLSearchParams(
    given([['feed', feed === 'ai-feed' ? undefined : feed], ...inUrl, ...position]),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

/** Changes filters. Every change of a filter leads back to the first page. */
export function withFilters({ page: _, cursor, ...filters }: SearchState, change: StateChange): SearchState {
  const next = { ...filters, ...(cursor !== undefined && { cursor: '*' }), ...change };
  return Object.fromEntries(
    Object.entries(withoutDependents(next)).filter(([, value]) => value !== undefined),
  ) as unknown as SearchState;
}

/** The number of items on a page of the explorer. */
export const PAGE_SIZE = 12;

/** Returns the path and query of the API request, relative to the base path of the feeds. */
export function requestPath({ feed, ad_type, page, cursor, ...filters }: SearchState): string {
  const entries = SHOWN.filter((name) => name !== 'ad_type').map(
    (name) => [name, filters[name]] as [string, unknown],
  );
  const position = cursor === undefined ? { page: page ?? 1 } : { cursor };
  const query = new URLSearchParams(
    given([...entries, ...Object.entries({ ...position, pageSize: PAGE_SIZE })]),
  );
  return `${feed}${ad_type ? `/${ad_type}` : ''}?${query}`;
}

const given = (entries: [string, unknown][]): [string, string][] =>
  entries.flatMap(([name, value]) => (value === undefined || value === false ? [] : [[name, String(value)]]));

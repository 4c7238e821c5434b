import { AD_TYPE_NAMES, type AdType } from '@vitrine/feed-index/ad-types';
import { isDate } from '../components/calendar-dates.ts';

export const FEEDS = ['ai-feed', 'public-feed'] as const;
export type Feed = (typeof FEEDS)[number];

/** What the explorer shows: the feed, its filters and the position. Members have the names of the API's parameters. */
export interface SearchState {
  feed: Feed;
  adType?: AdType;
  city?: string;
  category?: string;
  sub_category?: string;
  /** YYYY-MM-DD. */
  date?: string;
  date_to?: string;
  lat?: number;
  lng?: number;
  localOnly?: boolean;
  page?: number;
  cursor?: string;
}

export type TextFilter = 'city' | 'category' | 'sub_category';

const TEXTS = ['city', 'category', 'sub_category', 'cursor'] as const;

/** Reads the state from the query string of the page's URL. Values that cannot be meant are left out. */
export function stateOf(query: string): SearchState {
  const given = new URLSearchParams(query);
  const state: SearchState = { feed: given.get('feed') === 'public-feed' ? 'public-feed' : 'ai-feed' };
  const adType = AD_TYPE_NAMES.find((type) => type === given.get('type'));
  if (adType) state.adType = adType;
  for (const name of TEXTS) {
    const value = given.get(name);
    if (value) state[name] = value;
  }
  for (const name of ['date', 'date_to'] as const) {
    const value = given.get(name);
    if (value && isDate(value)) state[name] = value;
  }
  if (state.date === undefined) delete state.date_to;
  const [lat, lng] = [given.get('lat'), given.get('lng')].map((text) => (text ? Number(text) : Number.NaN));
  if (Number.isFinite(lat) && Number.isFinite(lng)) Object.assign(state, { lat, lng });
  if (given.get('localOnly') === 'true' && state.lat !== undefined) state.localOnly = true;
  const page = Number(given.get('page'));
  if (Number.isSafeInteger(page) && page > 1 && state.cursor === undefined) state.page = page;
  return state;
}

/** Writes the state as a query string for the page's URL, empty for the initial state. */
export function queryOf({ feed, adType, ...rest }: SearchState): string {
  const entries = Object.entries({ feed: feed === 'ai-feed' ? undefined : feed, type: adType, ...rest });
  const query = new URLSearchParams(given(entries)).toString();
  return query === '' ? '' : `?${query}`;
}

/** Changes filters. Every change of a filter leads back to the first page. */
export function withFilters(
  state: SearchState,
  change: { [K in keyof SearchState]?: SearchState[K] | undefined },
) {
  const { page: _, cursor, ...filters } = state;
  const next = { ...filters, ...(cursor !== undefined && { cursor: '*' }), ...change };
  if (next.date === undefined) delete next.date_to;
  if (next.lat === undefined) delete next.localOnly;
  return Object.fromEntries(
    Object.entries(next).filter(([, value]) => value !== undefined),
  ) as unknown as SearchState;
}

/** The number of items on a page of the explorer. */
export const PAGE_SIZE = 12;

/** Returns the path and query of the API request, relative to the base path of the feeds. */
export function requestPath({ feed, adType, page, cursor, localOnly, ...filters }: SearchState): string {
  const entries = Object.entries({ ...filters, localOnly: localOnly ? 'true' : undefined });
  const position = cursor === undefined ? { page: page ?? 1 } : { cursor };
  const query = new URLSearchParams(
    given([...entries, ...Object.entries({ ...position, pageSize: PAGE_SIZE })]),
  );
  return `${feed}${adType ? `/${adType}` : ''}?${query}`;
}

const given = (entries: [string, unknown][]): [string, string][] =>
  entries.flatMap(([name, value]) => (value === undefined || value === false ? [] : [[name, String(value)]]));

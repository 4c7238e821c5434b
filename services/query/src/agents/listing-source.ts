import type { IndexedField } from '@vitrine/feed-index';
import type { FeedCriteria } from '../request/criteria.ts';
import type { SortPosition } from '../request/sort-position.ts';
import type { Facet, FacetValue } from '../search/facets.ts';
import { feedQuery } from '../search/feed-query.ts';
import type { FeedSearch } from '../search/feed-search.ts';
import { PageTooLarge } from '../search/page-too-large.ts';
import type { DateOffers, FoundPage } from '../stored/found-page.ts';
import type { StoredItem } from '../stored/stored-item.ts';
import { type Listing, listingOf } from './listing.ts';

/** A page of listings. */
export interface ListingPage {
  /** Exact number of matching listings. */
  total: number;
  listings: Listing[];
  /** The position of each listing, for the cursor of the next page. */
  positions: SortPosition[];
  /** Whether listings follow the last one. */
  hasMore: boolean;
  /** The offers of the asked dates and their neighbors, without dates that have no offers. */
  offersByDate: DateOffers[];
}

/**
 * The listings that the agents' tools and the UCP catalog read. It uses the feeds' search, so it shares their
 * counts. Every method throws FeedUnavailable, Overloaded, and FilterUnavailable.
 */
export interface ListingSource {
  /** @param criteria of the agent feed, without a page number */
  page(criteria: FeedCriteria, signal: AbortSignal): Promise<ListingPage>;
  /** Returns the existing listings by id. */
  byIds(ids: readonly string[], signal: AbortSignal): Promise<Map<string, Listing>>;
  total(criteria: FeedCriteria, signal: AbortSignal): Promise<number>;
  /** Counts the values of a facet, most frequent first. */
  facet(criteria: FeedCriteria, facet: Facet, signal: AbortSignal): Promise<FacetValue[]>;
  /** Returns today's date in America/Sao_Paulo as YYYY-MM-DD. */
  today(): string;
  /** Number of days, from today on, for which agents may ask. */
  horizonDays: number;
}

/** The index was built by an earlier release and lacks the fields of a filter. */
export class FilterUnavailable extends Error {
  constructor(filter: string) {
    super(`This index was built by an earlier release. ${filter} will work after the next rebuild.`);
    this.name = 'FilterUnavailable';
  }
}

export interface ListingSourceOptions {
  search: Pick<FeedSearch, 'page' | 'total' | 'facet' | 'items' | 'hasField'>;
  today: () => string;
  horizonDays: number;
  /** Radius of `localOnly`, in kilometers. */
  localRadiusKm: number;
}

export function createListingSource({
  search,
  today,
  horizonDays,
  localRadiusKm,
}: ListingSourceOptions): ListingSource {
  const queryOf = async (criteria: FeedCriteria, signal: AbortSignal) => {
    await checkFields(criteria, (name) => search.hasField(name, signal));
    return feedQuery(criteria, { today: today(), localRadiusKm });
  };
  /** Reads fewer listings if they are too large for one response. */
  const find = async (criteria: FeedCriteria, signal: AbortSignal): Promise<[FoundPage, number]> => {
    for (let size = criteria.pageSize; ; ) {
      try {
        const query = await queryOf({ ...criteria, pageSize: size }, signal);
        return [await search.page(query, signal), size];
      } catch (error) {
        if (!(error instanceof PageTooLarge) || size === 1) throw error;
        size = Math.max(Math.min(error.items, size) - 1, 1);
      }
    }
  };
  /** Reads the items in smaller groups if they are too large for one response. */
  const itemsOf = async (ids: readonly string[], signal: AbortSignal): Promise<StoredItem[]> => {
    if (ids.length === 0) return [];
    try {
      return await search.items(ids, signal);
    } catch (error) {
      if (!(error instanceof PageTooLarge) || ids.length === 1) throw error;
      const half = Math.ceil(ids.length / 2);
      return [...(await itemsOf(ids.slice(0, half), signal)), ...(await itemsOf(ids.slice(half), signal))];
    }
  };
  return {
    async page(criteria, signal) {
      const [{ total, items, offersByDate }, size] = await find(criteria, signal);
      const shown = items.slice(0, size);
      return {
        total,
        listings: shown.map((item) => listingOf(item, askedDates(criteria, today()))),
        positions: shown.map(({ position }) => position),
        hasMore: items.length > size,
        offersByDate,
      };
    },
    async byIds(ids, signal) {
      const stored = await itemsOf(ids, signal);
      return new Map(
        stored
          .map((item) => listingOf(item, [today(), LAST_DATE]))
          .map((listing) => [listing.item.id, listing]),
      );
    },
    total: async (criteria, signal) => search.total(await queryOf(criteria, signal), signal),
    facet: async (criteria, facet, signal) => search.facet(await queryOf(criteria, signal), facet, signal),
    today,
    horizonDays,
  };
}

const LAST_DATE = '9999-12-31';

/** The asked dates, without past ones. */
const askedDates = (
  { date, dateTo = date }: FeedCriteria,
  today: string,
): readonly [string, string] | undefined =>
  date === undefined || dateTo === undefined ? undefined : [date < today ? today : date, dateTo];

async function checkFields(
  { minPrice, maxPrice, words }: FeedCriteria,
  exists: (name: IndexedField) => Promise<boolean>,
): Promise<void> {
  const isPriced = minPrice !== undefined || maxPrice !== undefined;
  if (isPriced && !(await exists('price'))) throw new FilterUnavailable('Price filters');
  if (words !== undefined && !(await exists('title_words'))) throw new FilterUnavailable('Title words');
}

import type { Availability, FeedItem, Item, Labels } from '@vitrine/feed-index';
import type { Facet } from '@vitrine/feed-index/filters';
import type { RequestBudget } from '../budget/request-budget.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import type { SortPosition } from '../request/sort-position.ts';
import { asksForStay, type StayWindow, stayWindow } from '../request/stay-window.ts';
import type { FacetValue } from '../search/facets/facet-values.ts';
import { feedQuery } from '../search/feed-query.ts';
import type { FeedSearch } from '../search/feed-search.ts';
import { PageTooLarge } from '../search/search-failure.ts';
import type { Summaries } from '../search/stays/stay-query.ts';
import { calendarWindow, lastDateOf } from '../stored/calendar-window.ts';
import { cheapestStay, type PricedStay } from '../stored/cheapest-stay.ts';
import type { DateOffers, StayOffers } from '../stored/found-page.ts';
import { adTypeOf, bytesOf, labelsOf, pointOf, type StoredItem } from '../stored/stored-item.ts';
import { isPossibleId } from './by-id/possible-id.ts';
import { requestedDates, withoutPast } from './requested-dates.ts';

export interface ListingPage {
  /** Exact number of matching listings. */
  total: number;
  listings: Listing[];
  /** The position of each listing, for the cursor of the next page. */
  positions: SortPosition[];
  /** Whether listings follow the last one. */
  hasMore: boolean;
  /** The offers of the requested dates and their neighbors, without dates that have no offers. */
  offersByDate: DateOffers[];
  /** The offers of whole stays: the shifts of a range, or every first night of a flexible stay. */
  stays?: StayOffers[];
}

interface ListingsById {
  found: Map<string, Listing>;
  /** The ids that the request's budget left no room for. Their listings may exist. */
  unread: ReadonlySet<string>;
}

/**
 * Returns the source of one request's listings. Everything that the request reads counts toward its budget.
 */
export type ListingSources = (budget: RequestBudget) => ListingSource;

/**
 * The source of the listings for the agents' tools and the UCP catalog. It uses the feeds' search, so it
 * shares the feeds' counts. Every method throws FeedUnavailable and Overloaded.
 */
export interface ListingSource {
  /** @param summaries which offers of other dates and stays the page also has */
  page(criteria: FeedCriteria, signal: AbortSignal, summaries: Summaries): Promise<ListingPage>;
  /**
   * Returns the existing listings by id.
   * @param dates the dates of the calendars, as for `listingOf`. Past dates are left out.
   */
  byIds(
    ids: readonly string[],
    dates: readonly [first: string, last: string] | undefined,
    signal: AbortSignal,
  ): Promise<ListingsById>;
  total(criteria: FeedCriteria, signal: AbortSignal): Promise<number>;
  /**
   * Counts the listings that match the filters other than the dates and lack a calendar entry for at least
   * one requested date from today on. Returns undefined if there is no such date, or if the index has the
   * earlier mapping.
   */
  calendarUnknown(criteria: FeedCriteria, signal: AbortSignal): Promise<number | undefined>;
  /** Counts the matching listings for each value of a facet, most frequent first. */
  facet(criteria: FeedCriteria, facet: Facet, signal: AbortSignal): Promise<FacetValue[]>;
  /**
   * Finds the lowest stay total for each of these values of a facet. Without a requested date, no value has a
   * total.
   */
  facetTotals(
    criteria: FeedCriteria,
    facet: Facet,
    values: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>>;
  /** Returns today's date in America/Sao_Paulo as YYYY-MM-DD. */
  today(): string;
  /** Number of days, from today on, that agents may ask about. */
  horizonDays: number;
}

export interface ListingSourceOptions {
  search: Pick<FeedSearch, 'page' | 'total' | 'calendarUnknown' | 'facet' | 'facetTotals' | 'items'>;
  today: () => string;
  horizonDays: number;
  /** Radius of `localOnly`, in kilometers. */
  localRadiusKm: number;
}

export function createListingSources({
  search,
  today,
  horizonDays,
  localRadiusKm,
}: ListingSourceOptions): ListingSources {
  const queryOf = (criteria: FeedCriteria, summaries: Summaries = 'every range') =>
    feedQuery(criteria, { today: today(), localRadiusKm, summaries });
  return (budget) => {
    /** Reads fewer listings if they are too large for one response. */
    const find = async (criteria: FeedCriteria, signal: AbortSignal, summaries: Summaries) => {
      for (let size = criteria.pageSize; ; ) {
        try {
          const query = queryOf({ ...criteria, pageSize: size }, summaries);
          budget.search();
          const page = await search.page(query, signal, budget);
          budget.found(bytesOf(page.items));
          return [page, size] as const;
        } catch (error) {
          if (!(error instanceof PageTooLarge) || size === 1) throw error;
          await budget.worked(error.limit);
          size = Math.max(Math.min(error.items, size) - 1, 1);
        }
      }
    };
    /**
     * Reads the items in groups, until the budget is used up. Elasticsearch holds all items of a group in memory,
     * even of a refused response. The first group is therefore small. Each later group should fill the budget.
     */
    const itemsOf = async (ids: readonly string[], signal: AbortSignal) => {
      const items: StoredItem[] = [];
      let next = 0;
      for (let size = FIRST_IDS; next < ids.length && budget.left('searches') > 0; ) {
        const group = ids.slice(next, next + size);
        try {
          budget.search();
          const found = await search.items(group, signal, budget);
          const bytes = bytesOf(found);
          budget.found(bytes);
          items.push(...found);
          next += group.length;
          size = Math.max(Math.floor((budget.left('foundBytes') * group.length) / Math.max(bytes, 1)), 1);
        } catch (error) {
          if (!(error instanceof PageTooLarge)) throw error;
          await budget.worked(error.limit);
          if (group.length === 1 || budget.readable === 0) break;
          size = Math.min(Math.max(error.items, 1), group.length - 1);
        }
      }
      return { items, unread: new Set(ids.slice(next)) };
    };
    const listingsOf = async (
      items: readonly StoredItem[],
      dates: Parameters<typeof listingOf>[1],
      stay?: StayWindow,
    ) => {
      const listings: Listing[] = [];
      for (const item of items) {
        listings.push(listingOf(item, dates, stay));
        await budget.worked(bytesOf([item]));
      }
      return listings;
    };
    return {
      async page(criteria, signal, summaries) {
        const [{ total, items, offersByDate, stays }, size] = await find(criteria, signal, summaries);
        const shown = items.slice(0, size);
        const stay = asksForStay(criteria) ? stayWindow(criteria, today()) : undefined;
        return {
          total,
          listings: await listingsOf(shown, requestedDates(criteria, today()), stay),
          positions: shown.map(({ position }) => position),
          hasMore: items.length > size,
          offersByDate,
          ...(stays && { stays }),
        };
      },
      async byIds(ids, dates, signal) {
        const { items, unread } = await itemsOf(ids.filter(isPossibleId), signal);
        const listings = await listingsOf(items, dates && withoutPast(dates, today()));
        return { found: new Map(listings.map((listing) => [listing.item.id, listing])), unread };
      },
      total: async (criteria, signal) => search.total(queryOf(criteria), signal, budget),
      async calendarUnknown(criteria, signal) {
        const [first, last] = requestedDates(criteria, today()) ?? [];
        if (first === undefined || last === undefined || first > last) return undefined;
        // Requested dates and stays match only listings whose calendars contain them.
        const { date: _, dateTo, nights, minTotal, maxTotal, ...others } = criteria;
        return search.calendarUnknown(queryOf(others), first, last, signal);
      },
      async facet(criteria, facet, signal) {
        const values = await search.facet(queryOf(criteria), facet, signal, budget);
        // The caller compares all values. Without this wait, all calls that share a count would do so in
        // one turn of the event loop.
        await budget.worked(values.reduce((sum, { value }) => sum + workOn(value), 0));
        return values;
      },
      async facetTotals(criteria, facet, values, signal) {
        const stay = stayWindow(criteria, today());
        return stay ? search.facetTotals(queryOf(criteria), facet, values, stay, signal, budget) : new Map();
      },
      today,
      horizonDays,
    };
  };
}

/** Number of listings in the first search by id. Their sizes are unknown. */
const FIRST_IDS = 10;
/** The work that a caller of `facet` does on a value, in bytes. It compares a long value for longer. */
const workOn = (value: string): number => Math.max(128, value.length * 10);
/** The last date of any calendar. */
export const LAST_DATE = '9999-12-31';

/** A listing as agents see it. */
export interface Listing {
  /** The members of the agent feed's item, without `availability`. */
  item: FeedItem;
  /** `sale`, `rent` or `service`. */
  adType?: string;
  /** The filter values as text for people. */
  labels: Partial<Labels>;
  /** The requested dates for a page, or every date from today on for a lookup by id. The dates ascend. */
  calendar: Availability[];
  /** The last date of the stored calendar, which may be beyond `calendar` and the horizon. */
  calendarUntil?: string;
  point?: Item['point'];
  /** The cheapest stay within the requested dates, if the request for the page asks for stays. */
  stay?: PricedStay;
}

/**
 * Parses a stored item.
 * @param dates the first and last date of the calendar, as YYYY-MM-DD. If undefined, the calendar is empty.
 *   Parsing a whole calendar takes longer than everything else.
 * @param window the dates of the requested stay, if the answer states it
 * @throws SyntaxError if the stored bytes are not JSON
 */
function listingOf(
  stored: StoredItem,
  dates: readonly [first: string, last: string] | undefined,
  window: StayWindow | undefined,
): Listing {
  const adType = adTypeOf(stored);
  const calendarUntil = lastDateOf(stored.calendar);
  const point = pointOf(stored);
  const entries = dates && stored.calendar.length > 0 ? calendarWindow(stored.calendar, ...dates) : '';
  const stay = window && stored.calendar.length > 0 ? cheapestStay(stored.calendar, window) : undefined;
  return {
    item: JSON.parse(stored.feedItem.toString()) as FeedItem,
    ...(adType !== undefined && { adType }),
    labels: labelsOf(stored),
    calendar: JSON.parse(`[${entries.toString()}]`) as Availability[],
    ...(calendarUntil !== undefined && { calendarUntil }),
    ...(point && { point }),
    ...(stay && { stay }),
  };
}

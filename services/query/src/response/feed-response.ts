import type { FeedResponse } from '../contract/feed-schema.ts';
import { addDays } from '../request/calendar-dates.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { neighboringDates } from '../request/criteria.ts';
import { encodeCursor } from '../request/cursor.ts';
import { neighboringStays } from '../request/neighboring-stays.ts';
import { asksForStay, type StayWindow, stayWindow } from '../request/stay-window.ts';
import { calendarWindow } from '../stored/calendar-window.ts';
import { cheapestStay } from '../stored/cheapest-stay.ts';
import type { DateOffers, FoundItem, FoundPage, StayOffers } from '../stored/found-page.ts';

/** A successful response without `meta.generatedAt`. docs/reference/rules.md#feed-response. */
export interface FeedContent {
  /** The items of `FeedResponse['data']`, each as pieces of JSON. */
  data: Buffer[][];
  meta: Omit<FeedResponse['meta'], 'generatedAt'>;
}

export interface ServedDates {
  /** YYYY-MM-DD. */
  today: string;
  /**
   * Number of days of availability, including today, that the agent feed serves if the request has no date.
   */
  horizonDays: number;
}

/**
 * Creates the content of a page from the found items. Rule: docs/reference/rules.md#feed-response.
 * @param maxItems maximum number of items, which is below the page size if a whole page would be too large
 */
export function feedContent(
  criteria: FeedCriteria,
  found: FoundPage,
  dates: ServedDates,
  maxItems = criteria.pageSize,
): FeedContent {
  const { feed, adType, page, pageSize, date } = criteria;
  const window = stayWindow(criteria, dates.today);
  const stay = asksForStay(criteria) ? window : undefined;
  const { total } = found;
  // A cursor search requests one more item than the page size.
  const items = found.items.slice(0, maxItems);
  const next = page === undefined && found.items.length > maxItems ? items.at(-1) : undefined;
  const served = feed === 'ai-feed' ? (window ?? horizon(dates)) : undefined;
  return {
    data: items.map((item) => {
      const pieces = served ? withAvailability(item, served.first, served.last) : [item.feedItem];
      return stay ? withStay(pieces, item, stay) : pieces;
    }),
    meta: {
      ...(page !== undefined && { page }),
      pageSize,
      pageCount: Math.ceil(total / pageSize),
      total,
      ...(next && { nextCursor: encodeCursor(criteria, next.position) }),
      endpoint: adType ? `${feed}/${adType}` : feed,
      ...(feed === 'ai-feed' &&
        date !== undefined && {
          availability: summaries(neighboringDates(criteria, dates.today), found.offersByDate),
        }),
      ...(feed === 'ai-feed' &&
        stay && {
          stays: staySummaries(neighboringStays(criteria, dates.today), stay.nights, found.stays),
        }),
    },
  };
}

/** Returns the dates that the agent feed serves if the request has no date. */
const horizon = ({ today, horizonDays }: ServedDates) => ({
  first: today,
  last: addDays(today, horizonDays - 1),
});

const AVAILABILITY = Buffer.from(',"availability":[');
const END = Buffer.from(']}');
const STAY = ',"stay":';

/** Returns the pieces of an item, with its `availability` before the closing brace. */
const withAvailability = ({ feedItem, calendar }: FoundItem, first: string, last: string): Buffer[] => [
  feedItem.subarray(0, -1),
  AVAILABILITY,
  calendarWindow(calendar, first, last),
  END,
];

/** Adds the cheapest stay of the window. Only the calendar's entries in the window are parsed. */
function withStay(pieces: Buffer[], { calendar }: FoundItem, window: StayWindow): Buffer[] {
  const stay = cheapestStay(calendar, window);
  const item = pieces.at(-1);
  if (!stay || !item) return pieces;
  return [...pieces.slice(0, -1), item.subarray(0, -1), Buffer.from(`${STAY}${JSON.stringify(stay)}}`)];
}

function staySummaries(
  starts: string[],
  nights: number,
  offers: StayOffers[] = [],
): NonNullable<FeedContent['meta']['stays']> {
  const byStart = new Map(offers.map((offer) => [offer.from, offer]));
  return starts.map((from) => {
    const to = addDays(from, nights - 1);
    const offer = byStart.get(from);
    return offer
      ? { from, to, items: offer.items, min_total_price: offer.minTotal, max_total_price: offer.maxTotal }
      : { from, to, items: 0 };
  });
}

function summaries(dates: string[], offers: DateOffers[]): NonNullable<FeedContent['meta']['availability']> {
  const byDate = new Map(offers.map((offer) => [offer.date, offer]));
  return dates.map((date) => {
    const offer = byDate.get(date);
    return offer
      ? { date, items: offer.items, min_price: offer.minPrice, max_price: offer.maxPrice }
      : { date, items: 0 };
  });
}

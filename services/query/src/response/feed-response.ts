import type { FeedResponse } from '../contract/feed-schema.ts';
import { addDays } from '../request/calendar-dates.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { neighboringDates } from '../request/criteria.ts';
import { encodeCursor } from '../request/cursor.ts';
import { calendarWindow } from '../stored/calendar-window.ts';
import type { DateOffers, FoundItem, FoundPage } from '../stored/found-page.ts';

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
  const { feed, adType, page, pageSize, date, dateTo = date } = criteria;
  const { total } = found;
  // A cursor search requests one more item than the page size.
  const items = found.items.slice(0, maxItems);
  const next = page === undefined && found.items.length > maxItems ? items.at(-1) : undefined;
  const [first, last] =
    date === undefined ? [dates.today, addDays(dates.today, dates.horizonDays - 1)] : [date, dateTo ?? date];
  return {
    data: items.map((item) => (feed === 'ai-feed' ? withAvailability(item, first, last) : [item.feedItem])),
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
    },
  };
}

const AVAILABILITY = Buffer.from(',"availability":[');
const END = Buffer.from(']}');

/** Returns the pieces of an item, with its `availability` before the closing brace. */
const withAvailability = ({ feedItem, calendar }: FoundItem, first: string, last: string): Buffer[] => [
  feedItem.subarray(0, -1),
  AVAILABILITY,
  calendarWindow(calendar, first, last),
  END,
];

function summaries(dates: string[], offers: DateOffers[]): NonNullable<FeedContent['meta']['availability']> {
  const byDate = new Map(offers.map((offer) => [offer.date, offer]));
  return dates.map((date) => {
    const offer = byDate.get(date);
    return offer
      ? { date, items: offer.items, min_price: offer.minPrice, max_price: offer.maxPrice }
      : { date, items: 0 };
  });
}

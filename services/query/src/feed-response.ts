import { addDays } from './calendar-dates.ts';
import { calendarWindow } from './calendar-window.ts';
import { encodeCursor } from './cursor.ts';
import { neighbouringDates } from './feed-query.ts';
import type { FeedCriteria } from './feed-request.ts';
import type { FeedResponse } from './feed-schema.ts';
import type { DateOffers, FoundItem, FoundPage } from './feed-search.ts';

/** The body of every successful response, but for `meta.generatedAt`, which is no part of its content. API document, "FeedResponse". */
export interface FeedContent {
  /** The items of `FeedResponse['data']`, each as the pieces of its JSON. */
  data: Buffer[][];
  meta: Omit<FeedResponse['meta'], 'generatedAt'>;
}

export interface ServedDates {
  /** YYYY-MM-DD. */
  today: string;
  /** How many days the agent feed shows without a date, today included. */
  horizonDays: number;
}

/**
 * The found items as the requested feed serves them (API document, "FeedResponse" and "meta"; decisions §2 and §3).
 * @param most the most items that the page may have; fewer than the page size where these would be too large
 */
export function feedContent(criteria: FeedCriteria, found: FoundPage, dates: ServedDates, most = criteria.pageSize): FeedContent {
  const { feed, adType, page, pageSize, date, dateTo = date } = criteria;
  const { total } = found;
  // A search by cursor asks for one item more.
  const items = found.items.slice(0, most);
  const next = page === undefined && found.items.length > most ? items.at(-1) : undefined;
  const [first, last] = date === undefined ? [dates.today, addDays(dates.today, dates.horizonDays - 1)] : [date, dateTo ?? date];
  return {
    data: items.map((item) => (feed === 'ai-feed' ? withAvailability(item, first, last) : [item.feedItem])),
    meta: {
      ...(page !== undefined && { page }),
      pageSize,
      pageCount: Math.ceil(total / pageSize),
      total,
      ...(next && { nextCursor: encodeCursor(criteria, next.place) }),
      endpoint: adType ? `${feed}/${adType}` : feed,
      ...(feed === 'ai-feed' && date !== undefined && { availability: summaries(neighbouringDates(criteria, dates.today), found.offersByDate) }),
    },
  };
}

const AVAILABILITY = Buffer.from(',"availability":[');
const END = Buffer.from(']}');

/** The item, its closing brace left for later. */
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
    return offer ? { date, items: offer.items, min_price: offer.minPrice, max_price: offer.maxPrice } : { date, items: 0 };
  });
}

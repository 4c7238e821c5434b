import type { Availability, FeedItem } from '@vitrine/feed-index';
import { addDays } from './calendar-dates.ts';
import { neighbouringDates } from './feed-query.ts';
import type { FeedCriteria } from './feed-request.ts';
import type { DateOffers, FoundItem, FoundPage } from './feed-search.ts';

/** One date of `meta.availability`: how many items can be taken, and their lowest and highest price in BRL. */
interface DateSummary {
  date: string;
  items: number;
  min_price?: number;
  max_price?: number;
}

/** The body of every successful response, but for `meta.generatedAt`, which is no part of its content. API document, "FeedResponse". */
export interface FeedContent {
  data: (FeedItem & { availability?: Availability[] })[];
  meta: { page: number; pageSize: number; pageCount: number; total: number; endpoint: string; availability?: DateSummary[] };
}

export interface ServedDates {
  /** YYYY-MM-DD. */
  today: string;
  /** How many days the agent feed shows without a date, today included. */
  horizonDays: number;
}

/** What was found, as the feed that was asked serves it (API document, "FeedResponse" and "meta"; decisions §2 and §3). */
export function feedContent(criteria: FeedCriteria, found: FoundPage, dates: ServedDates): FeedContent {
  const { feed, adType, page, pageSize, date } = criteria;
  const { total, items } = found;
  const [first, last] = date === undefined ? [dates.today, addDays(dates.today, dates.horizonDays - 1)] : [date, date];
  return {
    data: feed === 'ai-feed' ? items.map((item) => withAvailability(item, first, last)) : items.map(({ feed_item }) => feed_item),
    meta: {
      page,
      pageSize,
      pageCount: Math.ceil(total / pageSize),
      total,
      endpoint: adType ? `${feed}/${adType}` : feed,
      ...(feed === 'ai-feed' && date !== undefined && { availability: summaries(neighbouringDates(criteria, dates.today), found.offersByDate) }),
    },
  };
}

const withAvailability = ({ feed_item, calendar = [] }: FoundItem, first: string, last: string) => ({
  ...feed_item,
  availability: calendar.filter(({ date }) => date >= first && date <= last),
});

function summaries(dates: string[], offers: DateOffers[]): DateSummary[] {
  const byDate = new Map(offers.map((offer) => [offer.date, offer]));
  return dates.map((date) => {
    const offer = byDate.get(date);
    return offer ? { date, items: offer.items, min_price: offer.minPrice, max_price: offer.maxPrice } : { date, items: 0 };
  });
}

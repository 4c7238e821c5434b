import { type FeedCriteria, neighboringDates } from '../../request/criteria.ts';
import { neighboringStays } from '../../request/neighboring-stays.ts';
import { stayWindow } from '../../request/stay-window.ts';
import type { DateOffers, StayOffers } from '../../stored/found-page.ts';
import { day, identifier, joined, type Shown, say } from '../answer-text.ts';
import type { ListingPage } from '../listing-source.ts';
import { cheapestStays, type NeighboringStays, shiftedStays, staysText } from './neighboring-stays.ts';

/** The part of an answer about dates other than the requested ones. */
export interface OtherDates {
  members: { neighbouring_dates?: NeighboringDate[] } & Partial<NeighboringStays>;
  text: Shown[];
  /** The length of the requested stay. It is undefined if the request has no dates. */
  nights?: number;
}

/**
 * Describes whole stays of the requested length if the request has a range, and single dates if it has one
 * date. For a range, the counts of single dates would suggest stays that no listing has.
 * @param today YYYY-MM-DD
 */
export function otherDatesOf(criteria: FeedCriteria, page: ListingPage, today: string): OtherDates {
  const window = stayWindow(criteria, today);
  if (!window) return { members: {}, text: [] };
  const { nights } = window;
  const isFlexible = criteria.nights !== undefined;
  if (nights === 1 && !isFlexible) {
    // A search for stays counts stays of one night instead of dates.
    const offers = page.stays?.map(offersOfNight) ?? page.offersByDate;
    const dates = neighboringDatesOf(neighboringDates(criteria, today), offers);
    return { members: { neighbouring_dates: dates }, text: datesText(dates), nights };
  }
  // An index with the earlier mapping has no totals.
  if (!page.stays) return { members: {}, text: [], nights };
  const members = isFlexible
    ? cheapestStays(page.stays)
    : shiftedStays(neighboringStays(criteria, today), nights, page.stays);
  return { members, text: staysText(members, nights, isFlexible), nights };
}

const offersOfNight = ({ from, items, minTotal, maxTotal }: StayOffers): DateOffers => ({
  date: from,
  items,
  minPrice: minTotal,
  maxPrice: maxTotal,
});

/** The offers of one date, as in `meta.availability` of the agent feed. */
interface NeighboringDate {
  date: string;
  items: number;
  min_price?: number;
  max_price?: number;
}

/** Returns the offers of each date, including dates without offers. */
const neighboringDatesOf = (dates: readonly string[], offers: readonly DateOffers[]): NeighboringDate[] =>
  dates.map((date) => offersOn(date, offers));

function offersOn(date: string, offers: readonly DateOffers[]): NeighboringDate {
  const found = offers.find((offer) => offer.date === date);
  if (!found || found.items === 0) return { date, items: 0 };
  return { date, items: found.items, min_price: found.minPrice, max_price: found.maxPrice };
}

/** Returns one line with the offers of each date. */
function datesText(dates: readonly NeighboringDate[]): Shown[] {
  const [first, last] = [dates.at(0), dates.at(-1)];
  if (!first || !last) return [];
  if (dates.every(({ items }) => items === 0))
    return [
      say`neighbouring_dates: no listing is known to be free from ${day(first.date)} to ${day(last.date)}`,
    ];
  const offers = dates.map(({ date, items, min_price = 0, max_price = 0 }) => {
    const monthAndDay = identifier(date.slice(5));
    return items === 0 ? say`${monthAndDay} 0` : say`${monthAndDay} ${items} (${min_price}-${max_price})`;
  });
  return [say`neighbouring_dates, free listings (lowest-highest price): ${joined(offers, ', ')}`];
}

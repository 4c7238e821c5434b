import { type FeedCriteria, neighboringDates } from '../../request/criteria.ts';
import { neighboringStays } from '../../request/neighboring-stays.ts';
import { stayWindow } from '../../request/stay-window.ts';
import type { DateOffers, StayOffers } from '../../stored/found-page.ts';
import type { Shown } from '../answer-text.ts';
import type { ListingPage } from '../listing-source.ts';
import { datesText, type NeighboringDate, neighboringDatesOf } from './neighboring-dates.ts';
import { cheapestStays, type NeighboringStays, shiftedStays, staysText } from './neighboring-stays.ts';

/** What an answer says about dates other than the requested ones. */
export interface OtherDates {
  members: { neighbouring_dates?: NeighboringDate[] } & Partial<NeighboringStays>;
  text: Shown[];
  /** The length of the requested stay. Undefined without dates. */
  nights?: number;
}

/**
 * Describes whole stays of the requested length if the request has a range, and single dates if it has one date:
 * the counts of single dates would suggest stays that no listing has.
 * @param today YYYY-MM-DD
 */
export function otherDatesOf(criteria: FeedCriteria, page: ListingPage, today: string): OtherDates {
  const window = stayWindow(criteria, today);
  if (!window) return { members: {}, text: [] };
  const { nights } = window;
  const isFlexible = criteria.nights !== undefined;
  if (nights === 1 && !isFlexible) {
    // A search for stays counts stays of one night in place of dates.
    const offers = page.stays?.map(offersOfNight) ?? page.offersByDate;
    const dates = neighboringDatesOf(neighboringDates(criteria, today), offers);
    return { members: { neighbouring_dates: dates }, text: datesText(dates), nights };
  }
  // An index of the earlier mapping has no totals.
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

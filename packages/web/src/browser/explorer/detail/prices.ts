import type { FilterValues } from '@vitrine/feed-index/filters';
import { addDays, daysBetween } from '../../components/calendar-dates.ts';
import type { Availability, FeedItem } from '../feed-item.ts';

/**
 * The unit of a price: one night of a rental, one day of another listing with a calendar, or the whole
 * listing.
 */
export type PriceUnit = 'night' | 'day' | 'whole';

/**
 * Returns the unit of a listing's price. The feed's items do not contain their ad type, so the type is known
 * only in a request for one ad type and in the detail.
 * @param adType undefined if it is not known
 * @param hasCalendar whether the listing has a price per date, or undefined if that is not known
 */
export function priceUnit(adType: string | undefined, hasCalendar: boolean | undefined): PriceUnit {
  if (adType === 'sale' || hasCalendar === false) return 'whole';
  if (adType === 'rent') return 'night';
  return hasCalendar ? 'day' : 'whole';
}

/** A price that a person compares, in BRL. */
export interface ShownPrice {
  amount: number;
  /**
   * The number of nights for which the amount is a total. If this number is absent, the amount is the
   * listing's price.
   */
  nights?: number;
}

/**
 * The total of the requested stay, or the listing's price if no stay is requested or the feed has no dates.
 * For a flexible stay, the total is that of the item's cheapest stay.
 */
export function shownPrice(item: FeedItem, hasDate: boolean): ShownPrice {
  const { stay } = item;
  if (stay) return { amount: stay.total_price, nights: daysBetween(stay.from, stay.to) + 1 };
  const days = hasDate ? (item.availability ?? []) : [];
  return days.length === 0 ? { amount: item.price } : { amount: totalOf(days), nights: days.length };
}

/** The stay that a request asks for: all dates from the first to the last one, or some nights among them. */
export interface Stay {
  first: string;
  last: string;
  nights: number;
  isFlexible: boolean;
}

/** Returns the stay that a request with dates asks for. Rule: docs/reference/rules.md#stays. */
export function requestedStay({ date, date_to: last, nights }: FilterValues): Stay | undefined {
  if (date === undefined) return undefined;
  const length = nights ?? daysBetween(date, last ?? date) + 1;
  return {
    first: date,
    last: last ?? addDays(date, length - 1),
    nights: length,
    isFlexible: nights !== undefined,
  };
}

/**
 * Returns the nights of the cheapest free stay, or of the earliest among equally cheap ones.
 * @returns undefined if no stay is free
 */
export function freeNights(
  calendar: readonly Availability[],
  { first, last, nights }: Stay,
): Availability[] | undefined {
  const free = calendar.filter(({ date, available }) => available && date >= first && date <= last);
  const runs = free
    .map((_, start) => free.slice(start, start + nights))
    .filter(
      (run) => run.length === nights && run.at(-1)?.date === addDays(run[0]?.date ?? first, nights - 1),
    );
  const lowest = Math.min(...runs.map(totalOf));
  return runs.find((run) => totalOf(run) === lowest);
}

/** Returns the total price of the nights in BRL, rounded because binary fractions do not add up exactly. */
export const totalOf = (days: readonly Availability[]): number =>
  days.reduce((sum, { price }) => sum + Math.round(price * 100), 0) / 100;

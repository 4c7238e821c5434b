import type { DateOffers } from '../../stored/found-page.ts';
import { day, identifier, joined, type Shown, say } from '../answer-text.ts';

/** The offers of one date, as in `meta.availability` of the agent feed. */
export interface NeighboringDate {
  date: string;
  items: number;
  min_price?: number;
  max_price?: number;
}

/** Returns the offers of each date, including dates without offers. */
export const neighboringDatesOf = (
  dates: readonly string[],
  offers: readonly DateOffers[],
): NeighboringDate[] => dates.map((date) => offersOn(date, offers));

function offersOn(date: string, offers: readonly DateOffers[]): NeighboringDate {
  const found = offers.find((offer) => offer.date === date);
  if (!found || found.items === 0) return { date, items: 0 };
  return { date, items: found.items, min_price: found.minPrice, max_price: found.maxPrice };
}

/** One line with the offers of each date. */
export function datesText(dates: readonly NeighboringDate[]): Shown[] {
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

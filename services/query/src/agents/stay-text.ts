import { money } from './answer-text.ts';
import type { CalendarRange, StayPrice } from './calendar.ts';

/** The price of a stay, or no members. */
export type PossibleStayPrice = { [Member in keyof StayPrice]?: StayPrice[Member] | undefined };

/** Describes the price of a stay: the sum, and each night. `-` if the listing is not available. */
export function stayText({ total_price, nights = [], each_night }: PossibleStayPrice): string {
  if (total_price === undefined) return '-';
  const perNight = each_night === undefined ? nights.map(money).join(', ') : `each ${money(each_night)}`;
  return `${money(total_price)} (${perNight})`;
}

/** Describes ranges of a calendar in one line. */
export const calendarText = (ranges: readonly CalendarRange[]): string =>
  ranges
    .map(({ from, to, available, price }) => {
      const dates = from === to ? from : `${from} to ${to}`;
      return available ? `${dates} ${money(price)}` : `${dates} taken`;
    })
    .join(', ');

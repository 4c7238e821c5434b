import { rangeFault } from '../filters/dates.ts';
import { day, joined, money, type Shown, say } from './answer-text.ts';
import type { CalendarRange, Stay, StayPrice } from './calendar.ts';
import { BadArguments } from './tool-arguments.ts';

/** The price of a stay, or no members. */
export type PossibleStayPrice = { [Member in keyof StayPrice]?: StayPrice[Member] | undefined };

/** Describes a stay's total price and nightly prices. Returns `-` if the listing is not available. */
export function stayText({ total_price, nights = [], each_night }: PossibleStayPrice): Shown {
  if (total_price === undefined) return say`-`;
  const perNight = each_night === undefined ? joined(nights.map(money), ', ') : say`each ${each_night}`;
  return say`${total_price} (${perNight})`;
}

/** Describes ranges of a calendar in one line. */
export const calendarText = (ranges: readonly CalendarRange[]): Shown =>
  joined(
    ranges.map(({ from, to, available, price }) => {
      const dates = from === to ? day(from) : say`${day(from)} to ${day(to)}`;
      return available ? say`${dates} ${price}` : say`${dates} taken`;
    }),
    ', ',
  );

/**
 * Reads the requested dates. Rule: docs/reference/rules.md#requests.
 * @throws BadArguments if the range is reversed or too long
 */
export function stayOf(date: string, dateTo = date): Stay {
  const fault = rangeFault(date, dateTo);
  if (fault) throw new BadArguments([{ argument: 'date_to', detail: fault }]);
  return { date, dateTo };
}

import type { Availability } from '@vitrine/feed-index';
import { dayNumber } from '@vitrine/feed-index';
import { datesFrom } from '../request/calendar-dates.ts';

/** Consecutive dates with the same availability and price. Both ends are included. */
export interface CalendarRange {
  from: string;
  to: string;
  available: boolean;
  /** BRL. */
  price: number;
}

/** The dates of a stay, both ends included, as YYYY-MM-DD. */
export interface Stay {
  date: string;
  dateTo: string;
}

/** The price of a stay in BRL: the sum, and either each night's price or the price that all nights have. */
export interface StayPrice {
  total_price: number;
  nights?: number[];
  each_night?: number;
}

/** The sum is rounded because binary fractions do not add up exactly. */
const CENTS = 100;

/** Joins the ascending entries of a calendar into ranges. */
export function calendarRanges(calendar: readonly Availability[]): CalendarRange[] {
  const ranges: CalendarRange[] = [];
  let before = Number.NaN;
  for (const { date, available, price } of calendar) {
    const last = ranges.at(-1);
    const day = dayNumber(date);
    if (last?.available === available && last.price === price && day === before + 1) last.to = date;
    else ranges.push({ from: date, to: date, available, price });
    before = day;
  }
  return ranges;
}

/** The dates of a stay on which a listing is not known to be free. Rule: docs/reference/agents.md#members. */
export interface ClosedDates {
  /** Dates that are taken or past. */
  unavailable: string[];
  /** Dates in a gap or after the calendar's end. Such dates are neither free nor taken. */
  unknown: string[];
}

/** @param today YYYY-MM-DD */
export function closedDates(
  calendar: readonly Availability[],
  { date, dateTo }: Stay,
  today: string,
): ClosedDates {
  const known = new Map(calendar.map((entry) => [entry.date, entry.available]));
  const closed = datesFrom(date, dateTo).filter((day) => day < today || known.get(day) !== true);
  const isUnknown = (day: string) => day >= today && !known.has(day);
  return { unavailable: closed.filter((day) => !isUnknown(day)), unknown: closed.filter(isUnknown) };
}

/**
 * Returns the price of a stay, or undefined if the listing is not known to be free on all dates of the stay.
 */
export const stayPrice = (calendar: readonly Availability[], stay: Stay): StayPrice | undefined =>
  priceOf(openPrices(calendar), stay);

function priceOf(open: ReadonlyMap<string, number>, { date, dateTo }: Stay): StayPrice | undefined {
  const nights: number[] = [];
  for (const day of datesFrom(date, dateTo)) {
    const price = open.get(day);
    if (price === undefined) return undefined;
    nights.push(price);
  }
  const [first] = nights;
  const total = Math.round(nights.reduce((sum, price) => sum + price * CENTS, 0)) / CENTS;
  const isFlat = first !== undefined && nights.length > 1 && nights.every((price) => price === first);
  return { total_price: total, ...(isFlat ? { each_night: first } : { nights }) };
}

/** A stay of the same length on other dates. */
export interface NearestStay {
  from: string;
  to: string;
  total_price: number;
}

/**
 * Returns the nearest stays of the same length, before and after the requested one, for which the listing is
 * available. The work does not depend on the length of the stay, because each date is converted only once.
 * @param calendar entries from today on, ascending
 */
export function nearestStays(
  calendar: readonly Availability[],
  { date, dateTo }: Stay,
): { before?: NearestStay; after?: NearestStay } {
  const open = openPrices(calendar);
  const dates = [...open.keys()];
  const days = dates.map(dayNumber);
  const nights = dayNumber(dateTo) - dayNumber(date);
  // The dates ascend, so those of a free stay follow each other without a gap.
  const isFree = (first: number): boolean => days[first + nights] === (days[first] ?? 0) + nights;
  const stayFrom = (first: number): NearestStay | undefined => {
    const [from, to] = [dates[first], dates[first + nights]];
    const price = from && to && priceOf(open, { date: from, dateTo: to });
    return price ? { from, to, total_price: price.total_price } : undefined;
  };
  const before = stayFrom(dates.findLastIndex((from, i) => from < date && isFree(i)));
  const after = stayFrom(dates.findIndex((from, i) => from > date && isFree(i)));
  return { ...(before && { before }), ...(after && { after }) };
}

const openPrices = (calendar: readonly Availability[]): Map<string, number> =>
  new Map(calendar.filter(({ available }) => available).map(({ date, price }) => [date, price]));

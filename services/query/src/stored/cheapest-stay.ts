import type { Availability } from '@vitrine/feed-index';
import { dayNumber } from '@vitrine/feed-index';
import { addDays } from '../request/calendar-dates.ts';
import type { StayWindow } from '../request/stay-window.ts';
import { calendarWindow } from './calendar-window.ts';

/** A stay of consecutive nights, and the sum of their prices in BRL. */
export interface PricedStay {
  /** The first night, as YYYY-MM-DD. */
  from: string;
  /** The last night, as YYYY-MM-DD. */
  to: string;
  total_price: number;
}

/** A stay within a window: the first night, in days after the window begins, and the total in cents. */
export interface Run {
  start: number;
  cents: number;
}

/** The value for a night on which the item is not available, or about which nothing is known. */
export const NOT_FREE = -1;
const CENTS = 100;

/**
 * Converts a price as served, which has two decimals, to cents. A limit or a cursor can contain a larger
 * number than any total. The result stays finite, because JSON has no infinity. The JSON would contain
 * `null` instead, and a clause would then have no limit.
 */
export const toCents = (price: number): number => Math.min(Math.round(price * CENTS), Number.MAX_VALUE);
/** Converts a sum of cents to a price. A price in BRL has two decimals (docs/reference/rules.md#money). */
export const toPrice = (cents: number): number => cents / CENTS;

/**
 * Finds every free stay of `nights` consecutive nights.
 * @param cents the price of each night of a window in cents, or NOT_FREE
 */
export function* freeRuns(cents: Float64Array, nights: number): Generator<Run> {
  let free = 0;
  for (let last = 0; last < cents.length; last++) {
    free = cents[last] === NOT_FREE ? 0 : free + 1;
    if (free < nights) continue;
    const start = last - nights + 1;
    let sum = 0;
    for (let night = start; night <= last; night++) sum += cents[night] as number;
    yield { start, cents: sum };
  }
}

/** Finds the cheapest free stay. If several stays are equally cheap, finds the earliest of them. */
export function cheapestRun(cents: Float64Array, nights: number): Run | undefined {
  let cheapest: Run | undefined;
  for (const run of freeRuns(cents, nights)) if (!cheapest || run.cents < cheapest.cents) cheapest = run;
  return cheapest;
}

/**
 * Finds the cheapest stay of an item within a window. Rule: docs/reference/rules.md#stays.
 * @param calendar the stored calendar as JSON. Only the dates of the window are parsed.
 * @returns undefined if no stay is free
 */
export function cheapestStay(calendar: Buffer, { first, last, nights }: StayWindow): PricedStay | undefined {
  const begin = dayNumber(first);
  const cents = new Float64Array(Math.max(dayNumber(last) - begin + 1, 0)).fill(NOT_FREE);
  const entries = `[${calendarWindow(calendar, first, last).toString()}]`;
  for (const { date, available, price } of JSON.parse(entries) as Availability[])
    if (available) cents[dayNumber(date) - begin] = toCents(price);
  const run = cheapestRun(cents, nights);
  return (
    run && {
      from: addDays(first, run.start),
      to: addDays(first, run.start + nights - 1),
      total_price: toPrice(run.cents),
    }
  );
}

import type { Availability } from './item.ts';

const HEADER_BYTES = 4;
const PRICE_BYTES = 8;
const BLOCK_HEADER_BYTES = 8;
const CODE_BYTES = 2;
/** The buffer initially contains only zeros, so nothing is written for an unknown date. */
const [TAKEN, FIRST_PRICE] = [1, 2];
/** Inside a block, a gap up to this length takes at most as many bytes as the header of another block. */
const MAX_GAP_IN_BLOCK = BLOCK_HEADER_BYTES / CODE_BYTES;

const [ZERO, DAYS_OF_400_YEARS, DAYS_UNTIL_1970] = [0x30, 146_097, 719_468];
const twoDigits = (date: string, at: number): number =>
  (date.charCodeAt(at) - ZERO) * 10 + date.charCodeAt(at + 1) - ZERO;

/**
 * Returns the number of a date. 1970-01-01 has the number 0, and earlier dates have negative numbers. The
 * projector calls this function for each date of each item, and `Date.parse` takes ten times as long.
 * @param date a valid date as YYYY-MM-DD
 */
export function dayNumber(date: string): number {
  const month = twoDigits(date, 5);
  // In this calculation, the year begins in March, so the leap day is the year's last day.
  const year = twoDigits(date, 0) * 100 + twoDigits(date, 2) - (month <= 2 ? 1 : 0);
  const cycle = Math.floor(year / 400);
  const yearOfCycle = year - cycle * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + twoDigits(date, 8) - 1;
  const leapDays = Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100);
  return cycle * DAYS_OF_400_YEARS + yearOfCycle * 365 + leapDays + dayOfYear - DAYS_UNTIL_1970;
}

/**
 * Packs a whole calendar into few bytes, from which the query service computes the totals of stays. The
 * service reads these bytes from doc values, because the calendar in a whole document is about 20 times as
 * large (docs/decisions/0117-items-mapping-4.md). All numbers are big-endian:
 *
 *     int32                  number of prices P
 *     P × double             the distinct prices of available dates, in BRL, in the order of their first dates
 *     then, until the end, the blocks, in ascending order of their dates:
 *       int32                day number of the block's first date
 *       int32                number of dates D in the block
 *       D × uint16           one code per date: 0 unknown, 1 taken, c ≥ 2 available at price number c - 2
 *
 * A date outside all blocks is unknown. The code of the date `day` and the price of a code are at fixed
 * offsets: `block + 8 + 2 * (day - first)` and `4 + 8 * (code - 2)`. The next block starts at
 * `block + 8 + 2 * D`.
 *
 * A calendar with n dates takes at most 4 + 18n bytes, whatever years it covers, because a gap of more than
 * four dates ends a block. A calendar has at most 3,660 dates (docs/decisions/0004-bounded-calendar.md), so a
 * code fits into 16 bits.
 *
 * @param calendar dates in ascending order
 * @returns base64, as Elasticsearch's `binary` fields require; undefined for an empty calendar
 */
export function packNights(calendar: readonly Availability[]): string | undefined {
  if (calendar.length === 0) return undefined;
  const codes = new Map<number, number>();
  for (const { available, price } of calendar)
    if (available && !codes.has(price)) codes.set(price, FIRST_PRICE + codes.size);
  const pricesEnd = HEADER_BYTES + PRICE_BYTES * codes.size;
  const bytes = Buffer.alloc(pricesEnd + (BLOCK_HEADER_BYTES + CODE_BYTES) * calendar.length);
  let at = bytes.writeInt32BE(codes.size, 0);
  for (const price of codes.keys()) at = bytes.writeDoubleBE(price, at);
  let block = at;
  let first = Number.NEGATIVE_INFINITY;
  let next = first;
  const endBlock = () => block < at && bytes.writeInt32BE(next - first, block + 4);
  for (const { date, available, price } of calendar) {
    const day = dayNumber(date);
    if (day - next > MAX_GAP_IN_BLOCK) {
      endBlock();
      block = at;
      first = next = day;
      at = bytes.writeInt32BE(day, at) + 4;
    }
    at += CODE_BYTES * (day - next);
    at = bytes.writeUInt16BE(available ? (codes.get(price) ?? TAKEN) : TAKEN, at);
    next = day + 1;
  }
  endBlock();
  return bytes.toString('base64', 0, at);
}

/** A run of day numbers, both ends included, in the form of Elasticsearch's `integer_range`. */
export interface DayRange {
  gte: number;
  lte: number;
}

/**
 * Returns the runs of consecutive dates in a calendar as day numbers. A range that contains no unknown date
 * lies within one of these runs.
 * @param calendar dates in ascending order
 */
export function knownDays(calendar: readonly Availability[]): DayRange[] {
  const ranges: DayRange[] = [];
  for (const { date } of calendar) {
    const day = dayNumber(date);
    const last = ranges.at(-1);
    if (last && day === last.lte + 1) last.lte = day;
    else ranges.push({ gte: day, lte: day });
  }
  return ranges;
}

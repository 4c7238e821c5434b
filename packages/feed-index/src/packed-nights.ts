import type { Availability } from './item.ts';

const DAY_MS = 86_400_000;
const HEADER_BYTES = 4;
const PRICE_BYTES = 8;
const BLOCK_HEADER_BYTES = 8;
const CODE_BYTES = 2;
const [UNKNOWN, TAKEN, FIRST_PRICE] = [0, 1, 2];
/** A shorter gap takes at most as many bytes inside a block as the header of another block. */
const MAX_GAP_IN_BLOCK = BLOCK_HEADER_BYTES / CODE_BYTES;

/** The number of a date, counted from 1970-01-01, which is 0. Earlier dates have negative numbers. */
export const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

/**
 * Packs a whole calendar into few bytes, from which the query service computes the totals of stays. It reads
 * them from doc values, because the calendar of a whole document has about 20 times as many bytes
 * (docs/decisions/0117-items-mapping-4.md). All numbers are big-endian:
 *
 *     int32                  number of prices P
 *     P × double             the distinct prices of available dates, in BRL, in the order of their first dates
 *     then, until the end, the blocks, in ascending order of their dates:
 *       int32                day number of the block's first date
 *       int32                number of dates D in the block
 *       D × uint16           one code per date: 0 unknown, 1 taken, c ≥ 2 available at price number c - 2
 *
 * A date outside of all blocks is unknown. So the codes of the date `day` and the price of a code are at fixed
 * offsets: `block + 8 + 2 * (day - first)` and `4 + 8 * (code - 2)`. The next block begins at
 * `block + 8 + 2 * D`.
 *
 * A calendar with n dates takes at most 4 + 18n bytes, whatever its years, because a gap of more than four
 * dates ends a block. A calendar has at most 3,660 dates (docs/decisions/0004-bounded-calendar.md), so a
 * code fits into 16 bits.
 *
 * @param calendar dates in ascending order
 * @returns base64, as Elasticsearch's `binary` fields take it; undefined for an empty calendar
 */
export function packNights(calendar: readonly Availability[]): string | undefined {
  if (calendar.length === 0) return undefined;
  const codes = new Map<number, number>();
  for (const { available, price } of calendar)
    if (available && !codes.has(price)) codes.set(price, FIRST_PRICE + codes.size);
  const blocks = blocksOf(calendar, codes);
  const size = blocks.reduce(
    (sum, block) => sum + BLOCK_HEADER_BYTES + CODE_BYTES * block.codes.length,
    HEADER_BYTES + PRICE_BYTES * codes.size,
  );
  const bytes = Buffer.alloc(size);
  let at = bytes.writeInt32BE(codes.size, 0);
  for (const price of codes.keys()) at = bytes.writeDoubleBE(price, at);
  for (const { first, codes } of blocks) {
    at = bytes.writeInt32BE(first, at);
    at = bytes.writeInt32BE(codes.length, at);
    for (const code of codes) at = bytes.writeUInt16BE(code, at);
  }
  return bytes.toString('base64');
}

interface Block {
  /** A day number. */
  first: number;
  codes: number[];
}

function blocksOf(calendar: readonly Availability[], codeOf: ReadonlyMap<number, number>): Block[] {
  const blocks: Block[] = [];
  for (const { date, available, price } of calendar) {
    const day = dayNumber(date);
    const code = available ? (codeOf.get(price) ?? TAKEN) : TAKEN;
    const last = blocks.at(-1);
    const gap = last ? day - last.first - last.codes.length : Number.POSITIVE_INFINITY;
    if (last && gap <= MAX_GAP_IN_BLOCK) last.codes.push(...Array(gap).fill(UNKNOWN), code);
    else blocks.push({ first: day, codes: [code] });
  }
  return blocks;
}

/** Consecutive day numbers, both ends included, in the form of an `integer_range` of Elasticsearch. */
export interface DayRange {
  gte: number;
  lte: number;
}

/**
 * Returns the runs of consecutive dates in a calendar, in day numbers. A range of dates without an unknown date
 * lies within one of them.
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

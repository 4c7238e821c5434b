import { NOT_FREE, toCents } from './cheapest-stay.ts';

const [PRICES, DATES] = [4, 8];
const PRICE_BYTES = 8;
const CODE_BYTES = 2;
/** A smaller code means that a date is unknown or taken. */
const FIRST_PRICE = 2;

/**
 * Reads the prices of a window of nights from a packed calendar (`packNights` in feed-index describes the
 * bytes).
 * @param first the day number of the window's first night
 * @param into receives one price per night in cents, or NOT_FREE
 * @throws RangeError if the bytes are damaged
 */
export function readNights(bytes: Buffer, first: number, into: Float64Array): void {
  into.fill(NOT_FREE);
  let at = PRICES + PRICE_BYTES * bytes.readInt32BE(0);
  while (at < bytes.length) {
    const begin = bytes.readInt32BE(at);
    const dates = bytes.readInt32BE(at + 4);
    const codes = at + DATES;
    const from = Math.max(begin, first);
    const to = Math.min(begin + dates, first + into.length);
    for (let day = from; day < to; day++) {
      const code = bytes.readUInt16BE(codes + CODE_BYTES * (day - begin));
      if (code < FIRST_PRICE) continue;
      into[day - first] = toCents(bytes.readDoubleBE(PRICES + PRICE_BYTES * (code - FIRST_PRICE)));
    }
    at = codes + CODE_BYTES * dates;
  }
}

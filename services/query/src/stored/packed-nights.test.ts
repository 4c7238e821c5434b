import { dayNumber, packNights } from '@vitrine/feed-index';
import { expect } from 'chai';
import fc from 'fast-check';
import { addDays } from '../request/calendar-dates.ts';
import { cheapestRun, cheapestStay, toPrice } from './cheapest-stay.ts';
import { readNights } from './packed-nights.ts';

const price = fc.oneof(
  fc.constantFrom(100, 100, 99.99, 0.01, 1e12, 1e15),
  fc.integer({ min: 1, max: 100_000 }).map((cents) => cents / 100),
);

/** Calendars with gaps of every length, even at the beginning and the end of all years. */
const calendar = fc
  .tuple(
    fc.constantFrom('0001-01-01', '2026-12-20', '9999-12-01'),
    fc.array(fc.tuple(fc.constantFrom(1, 1, 1, 1, 2, 4, 5, 6, 40), fc.boolean(), price), { maxLength: 60 }),
  )
  .map(([first, entries]) => {
    let date = addDays(first, -1);
    return entries.flatMap(([days, available, of]) => {
      const next = addDays(date, days);
      if (next === date) return [];
      date = next;
      return [{ date, available, price: of }];
    });
  });

describe('packed nights', () => {
  it('have the same cheapest stay as the calendar in JSON', () => {
    fc.assert(
      fc.property(
        calendar,
        fc.integer({ min: -3, max: 40 }),
        fc.integer({ min: 1, max: 92 }),
        fc.integer({ min: 1, max: 31 }),
        (entries, offset, dates, nights) => {
          const first = addDays(entries[0]?.date ?? '2026-12-20', offset);
          const last = addDays(first, dates - 1);
          const stay = cheapestStay(Buffer.from(JSON.stringify(entries)), { first, last, nights });
          const cents = new Float64Array(dayNumber(last) - dayNumber(first) + 1);
          const packed = packNights(entries);
          // An empty calendar has no packed form.
          readNights(Buffer.from(packed ?? 'AAAAAA==', 'base64'), dayNumber(first), cents);
          const run = cheapestRun(cents, nights);
          expect(run && { from: addDays(first, run.start), total_price: toPrice(run.cents) }).to.deep.equal(
            stay && { from: stay.from, total_price: stay.total_price },
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { isWithin, limitClauses } from './total-limits.ts';

/** Whether an item whose nights all have one price satisfies the clauses, as Elasticsearch receives them. */
function satisfies(clauses: unknown, price: number): boolean {
  const ranges = JSON.stringify(clauses).matchAll(/"(gte|gt|lte|lt)":(null|[\d.e+-]+)/g);
  return [...ranges].every(([, operator, limit]) => {
    // A limit without a value does not limit.
    if (limit === 'null') return true;
    const value = Number(limit);
    return operator === 'gte'
      ? price >= value
      : operator === 'gt'
        ? price > value
        : operator === 'lte'
          ? price <= value
          : price < value;
  });
}

describe('limits of totals', () => {
  it('decide on every item with one price, even with many decimals and beyond all totals', () => {
    const cents = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.constant(1e14));
    const limit = fc.oneof(
      fc.double({ min: 0, max: 30_000, noNaN: true }),
      fc.integer({ min: 0, max: 3_000_000 }).map((number) => number / 100),
      fc.constantFrom(3e13, 9e13, 1e16, 1e300, 1e307, Number.MAX_VALUE),
    );
    fc.assert(
      fc.property(
        cents,
        fc.integer({ min: 1, max: 30 }),
        limit,
        fc.boolean(),
        (price, nights, given, isMax) => {
          const limits = isMax ? { maxTotal: given } : { minTotal: given };
          const { sure, possible } = limitClauses(limits, nights);
          const isInside = isWithin((nights * price) / 100, limits);
          expect(satisfies(sure, price / 100), 'sure').to.equal(isInside);
          if (isInside) expect(satisfies(possible, price / 100), 'possible').to.equal(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

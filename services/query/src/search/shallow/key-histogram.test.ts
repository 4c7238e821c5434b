import { expect } from 'chai';
import fc from 'fast-check';
import { nextAbove } from '../order/doubles.ts';
import { KeyHistogram } from './key-histogram.ts';

describe('histogram', () => {
  const newest = new KeyHistogram(
    {
      total: 40,
      ranges: [
        { by: 'value', from: 200, below: 300, count: 10 },
        { by: 'value', from: 0, below: 100, count: 30 },
      ],
    },
    { direction: 'desc' },
  );
  const cheapest = new KeyHistogram(
    {
      total: 45,
      ranges: [
        { by: 'value', from: 0, below: 100, count: 30 },
        { by: 'value', from: 200, below: 300, count: 10 },
        { by: 'no key', count: 5 },
      ],
    },
    { direction: 'asc' },
  );
  const since = (count: number, after?: number) => {
    const values = newest.next(count, after);
    return values && Math.round(values.from) + 0;
  };
  const upTo = (count: number, after?: number) => {
    const values = cheapest.next(count, after);
    return values && Math.round(values.below);
  };

  it('estimates the values of the first items, evenly distributed within a range', () => {
    expect([since(10), since(5), since(24), since(40)]).to.deep.equal([200, 250, 53, 0]);
    expect([upTo(15), upTo(30), upTo(35), upTo(40)]).to.deep.equal([50, 100, 250, 300]);
  });

  it('has no estimates beyond the items with a key', () => {
    expect([since(41), upTo(41)]).to.deep.equal([undefined, undefined]);
  });

  it('excludes items before a value, but not those with this value', () => {
    expect([since(2, 250), since(15, 150), since(31, 150)]).to.deep.equal([230, 50, undefined]);
    expect(newest.next(2, 250)?.below).to.equal(nextAbove(250));
    expect([upTo(3, 210), upTo(10, 150), upTo(11, 150)]).to.deep.equal([240, 300, undefined]);
    expect(cheapest.next(3, 210)?.from).to.equal(210);
  });

  it('counts the items up to a value', () => {
    expect([newest.countBefore(250, undefined), newest.countBefore(50, 250)].map(Math.round)).to.deep.equal([
      5, 20,
    ]);
    expect(
      [cheapest.countBefore(250, undefined), cheapest.countBefore(250, 50)].map(Math.round),
    ).to.deep.equal([35, 20]);
    expect(cheapest.countBefore(1_000, undefined)).to.equal(40);
  });

  it('never cuts a range with a single value', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e15, max: 1e15, noNaN: true }),
        fc.boolean(),
        fc.double({ min: 0, max: 9, noNaN: true }),
        (value, isAscending, count) => {
          const ranges = [{ by: 'value' as const, from: value, below: nextAbove(value), count: 9 }];
          const histogram = new KeyHistogram(
            { total: 9, ranges },
            { direction: isAscending ? 'asc' : 'desc' },
          );
          for (const after of [undefined, value]) {
            const { from, below } = histogram.next(count, after) ?? expect.fail('no values');
            expect(from <= value && value < below).to.equal(true);
          }
        },
      ),
    );
  });
});

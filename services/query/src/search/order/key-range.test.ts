import { expect } from 'chai';
import { nextBelow } from './doubles.ts';
import { joinRanges, rangeClauses, rangeStart } from './key-range.ts';

const point = { lat: -23.5, lon: -46.6 };
const ring = (distance: number) => ({ geo_distance: { point, distance, unit: 'm' } });

describe('range', () => {
  it('of values includes its beginning, excludes its end, and may be open', () => {
    const values = { by: 'value', from: -5, below: 7, count: 1 } as const;
    expect(rangeClauses(values, 'newest')).to.deep.equal([{ range: { published_at: { gte: -5, lt: 7 } } }]);
    expect(rangeClauses(values, 'price')).to.deep.equal([{ range: { price: { gte: -5, lt: 7 } } }]);
    const [from, below] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect(rangeClauses({ ...values, from }, 'rating')).to.deep.equal([{ range: { rating: { lt: 7 } } }]);
    expect(rangeClauses({ ...values, below }, 'rating')).to.deep.equal([{ range: { rating: { gte: -5 } } }]);
  });

  it('of distance has a margin of one meter on both sides, and begins at its sort key', () => {
    const far = { by: 'distance', from: 10, below: 20, count: 1 } as const;
    expect(rangeClauses(far, point)).to.deep.equal([{ bool: { filter: [ring(21)], must_not: [ring(9)] } }]);
    expect(rangeStart(far)).to.equal(nextBelow(10));
    expect(rangeStart({ by: 'id', keyRange: far, count: 1 })).to.equal(nextBelow(10));
    const near = { ...far, from: 0.5 };
    expect(rangeClauses(near, point)).to.deep.equal([ring(21)]);
    expect(rangeStart(near)).to.equal(nextBelow(0.5));
  });

  it('needs no sort key as its beginning if its clauses determine it', () => {
    expect(rangeStart({ by: 'distance', from: 0, below: 1, count: 1 })).to.equal(undefined);
    expect(rangeStart({ by: 'no key', count: 1 })).to.equal(undefined);
    expect(rangeStart({ by: 'value', from: 1, below: 2, count: 1 })).to.equal(undefined);
  });

  it('without a key selects the items that come last', () => {
    for (const [order, field] of [
      [point, 'point'],
      ['rating', 'rating'],
    ] as const)
      expect(rangeClauses({ by: 'no key', count: 1 }, order)).to.deep.equal([
        { bool: { must_not: [{ exists: { field } }] } },
      ]);
  });

  it('can be joined with the next range of its kind', () => {
    const [low, high] = [
      { by: 'value', from: 1, below: 5, count: 1 },
      { by: 'value', from: 7, below: 9, count: 2 },
    ] as const;
    expect(joinRanges(low, high)).to.deep.equal({ by: 'value', from: 1, below: 9, count: 3 });
    expect(joinRanges(high, low)).to.deep.equal({ by: 'value', from: 1, below: 9, count: 3 });
    const [near, far] = [
      { by: 'distance', from: 0, below: 5, count: 1 },
      { by: 'distance', from: 7, below: 9, count: 2 },
    ] as const;
    expect(joinRanges(near, far)).to.deep.equal({ by: 'distance', from: 0, below: 9, count: 3 });
    expect(joinRanges(far, { by: 'no key', count: 4 })).to.equal(undefined);
    const [first, last] = [
      { by: 'id', keyRange: near, before: 'b', count: 1 },
      { by: 'id', keyRange: near, from: 'b', count: 2 },
    ] as const;
    expect(joinRanges(first, { ...last, before: 'c' })).to.deep.equal({
      by: 'id',
      keyRange: near,
      before: 'c',
      count: 3,
    });
    expect(joinRanges(first, last)).to.deep.equal({ by: 'id', keyRange: near, count: 3 });
  });

  it('of ids selects among the items of one sort key', () => {
    const keyRange = { by: 'value', from: 7, below: 8, count: 9 } as const;
    const clause = { range: { published_at: { gte: 7, lt: 8 } } };
    expect(rangeClauses({ by: 'id', keyRange, from: 'a', before: 'b', count: 1 }, 'newest')).to.deep.equal([
      clause,
      { range: { id: { gte: 'a', lt: 'b' } } },
    ]);
    expect(rangeClauses({ by: 'id', keyRange, before: 'b', count: 1 }, 'newest')).to.deep.equal([
      clause,
      { range: { id: { lt: 'b' } } },
    ]);
    expect(rangeClauses({ by: 'id', keyRange, from: 'a', count: 1 }, 'newest')).to.deep.equal([
      clause,
      { range: { id: { gte: 'a' } } },
    ]);
  });
});

import { expect } from 'chai';
import { joinRanges, nextAbove, nextBelow, rangeClauses, rangeStart } from './key-range.ts';

const point = { lat: -23.5, lon: -46.6 };
const ring = (distance: number) => ({ geo_distance: { point, distance, unit: 'm' } });

describe('range', () => {
  it('of time includes both ends', () => {
    expect(rangeClauses({ by: 'published_at', oldest: -5, newest: 7, count: 1 }, 'newest')).to.deep.equal([
      { range: { published_at: { gte: -5, lte: 7 } } },
    ]);
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
    expect(rangeStart({ by: 'no distance', count: 1 })).to.equal(undefined);
    expect(rangeStart({ by: 'published_at', oldest: 1, newest: 2, count: 1 })).to.equal(undefined);
  });

  it('without distance selects the items without coordinates', () => {
    expect(rangeClauses({ by: 'no distance', count: 1 }, point)).to.deep.equal([
      { bool: { must_not: [{ exists: { field: 'point' } }] } },
    ]);
  });

  it('can be joined with the next range of its kind', () => {
    const [near, far] = [
      { by: 'distance', from: 0, below: 5, count: 1 },
      { by: 'distance', from: 7, below: 9, count: 2 },
    ] as const;
    expect(joinRanges(near, far)).to.deep.equal({ by: 'distance', from: 0, below: 9, count: 3 });
    expect(joinRanges(far, { by: 'no distance', count: 4 })).to.equal(undefined);
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
    const keyRange = { by: 'published_at', oldest: 7, newest: 7, count: 9 } as const;
    const clause = { range: { published_at: { gte: 7, lte: 7 } } };
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

describe('neighboring doubles', () => {
  it('are not separated by another double', () => {
    for (const value of [Number.MIN_VALUE, 1e-6, 0.1, 1, 1.5, 20_015_114.35]) {
      expect(nextBelow(value)).to.be.below(value);
      expect(nextAbove(nextBelow(value))).to.equal(value);
      expect(nextBelow(nextAbove(value))).to.equal(value);
    }
    expect(nextAbove(0)).to.equal(Number.MIN_VALUE);
    expect(nextBelow(1)).to.equal(1 - Number.EPSILON / 2);
  });
});

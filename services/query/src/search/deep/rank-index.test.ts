import { expect } from 'chai';
import type { OrderRange } from '../order/key-range.ts';
import { joinUntil, rangeAt } from './rank-index.ts';

const ranges: OrderRange[] = [3, 1, 5].map((count, i) => ({
  by: 'published_at',
  oldest: 0 - i,
  newest: 0 - i,
  count,
}));

describe('rank index', () => {
  it('finds the range of every rank, and its offset in that range', () => {
    const found = Array.from({ length: 9 }, (_, rank) => rangeAt(ranges, rank)).map(({ index, offset }) => [
      index,
      offset,
    ]);
    expect(found).to.deep.equal([
      ...[0, 1, 2].map((offset) => [0, offset]),
      [1, 0],
      ...[0, 1, 2, 3, 4].map((offset) => [2, offset]),
    ]);
    expect(() => rangeAt(ranges, 9)).to.throw('is beyond the last counted item');
  });

  it('joins the following ranges while they are needed and short', () => {
    const wide = (count: number, longest: number) => joinUntil(ranges, count, longest);
    expect(wide(3, 10)).to.equal(ranges[0]);
    expect(wide(4, 10)).to.deep.equal({ by: 'published_at', oldest: -1, newest: 0, count: 4 });
    expect(wide(5, 10)).to.deep.equal({ by: 'published_at', oldest: -2, newest: 0, count: 9 });
    expect(wide(100, 10)).to.deep.equal({ by: 'published_at', oldest: -2, newest: 0, count: 9 });
    expect(wide(100, 4)).to.deep.equal({ by: 'published_at', oldest: -1, newest: 0, count: 4 });
  });
});

import { expect } from 'chai';
import type { Stretch } from '../order/key-range.ts';
import { indexOf, wideEnough } from './rank-index.ts';

const stretches: Stretch[] = [3, 1, 5].map((count, i) => ({ by: 'published_at', oldest: 0 - i, newest: 0 - i, count }));

describe('rank directory', () => {
  it('tells the stretch of every rank, and what is before it there', () => {
    const found = Array.from({ length: 9 }, (_, rank) => indexOf(stretches, rank)).map(({ index, rest }) => [index, rest]);
    expect(found).to.deep.equal([...[0, 1, 2].map((rest) => [0, rest]), [1, 0], ...[0, 1, 2, 3, 4].map((rest) => [2, rest])]);
    expect(() => indexOf(stretches, 9)).to.throw('beyond');
  });

  it('takes the stretches behind it along, as far as they are wanted and short', () => {
    const wide = (count: number, longest: number) => wideEnough(stretches, count, longest);
    expect(wide(3, 10)).to.equal(stretches[0]);
    expect(wide(4, 10)).to.deep.equal({ by: 'published_at', oldest: -1, newest: 0, count: 4 });
    expect(wide(5, 10)).to.deep.equal({ by: 'published_at', oldest: -2, newest: 0, count: 9 });
    expect(wide(100, 10)).to.deep.equal({ by: 'published_at', oldest: -2, newest: 0, count: 9 });
    expect(wide(100, 4)).to.deep.equal({ by: 'published_at', oldest: -1, newest: 0, count: 4 });
  });
});

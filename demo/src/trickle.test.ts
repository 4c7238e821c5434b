import { expect } from 'chai';
import { countsLine } from './trickle.ts';

describe('the line of counts', () => {
  it('shows events, feed, listings and the last change', () => {
    const demo = {
      published: 7_642,
      complete: 1_809,
      hidden: 193,
      lastChange: 'price of demo-rent-00123 R$ 240 -> 255',
    };
    expect(countsLine({ demo, feed: { total: 1_808, generatedAt: 1_000 }, now: 1_540 })).to.equal(
      '7,642 events | feed 1,808 items, 0.5 s old | 1,809 complete, 193 hidden | price of demo-rent-00123 ' +
        'R$ 240 -> 255',
    );
  });

  it('omits missing values', () => {
    expect(countsLine({ feed: undefined, now: 0 })).to.equal('the feed does not respond');
    expect(countsLine({ feed: { total: 5, generatedAt: 2_000 }, now: 1_000 })).to.equal(
      'feed 5 items, 0.0 s old',
    );
  });
});

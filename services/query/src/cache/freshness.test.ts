import { expect } from 'chai';
import { freshness } from './freshness.ts';

describe('freshness', () => {
  const kept = freshness(5, 300);
  for (const [seconds, state] of [
    [0, 'fresh'],
    [4.9, 'fresh'],
    [5, 'stale-while-revalidate'],
    [14.9, 'stale-while-revalidate'],
    [15, 'stale-if-error'],
    [304.9, 'stale-if-error'],
    [305, 'expired'],
  ] as const)
    it(`a page of ${seconds} s is ${state}`, () => expect(kept.stateAt(seconds * 1_000)).to.equal(state));

  it('tells others the same bounds', () => expect(kept.cacheControl).to.equal('public, max-age=5, stale-while-revalidate=10, stale-if-error=300'));

  it('never serves what is stale where that is not wanted', () => {
    expect(freshness(5, 0).stateAt(5_000)).to.equal('expired');
    expect(freshness(0, 0).stateAt(0)).to.equal('expired');
    expect(freshness(5, 3).cacheControl).to.equal('public, max-age=5, stale-while-revalidate=3, stale-if-error=3');
  });

  it('a page of another date is in the state that follows fresh', () => {
    expect([kept.afterDateChange, freshness(5, 0).afterDateChange, freshness(0, 60).afterDateChange]).to.deep.equal([
      'stale-while-revalidate',
      'expired',
      'stale-if-error',
    ]);
  });

  it('with nothing fresh, old pages still stand in for those that cannot be had', () =>
    expect(freshness(0, 60).stateAt(0)).to.equal('stale-if-error'));
});

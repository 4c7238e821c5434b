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

  it('announces the same limits in Cache-Control', () =>
    expect(kept.cacheControl).to.equal('public, max-age=5, stale-while-revalidate=10, stale-if-error=300'));

  it('never allows stale pages if they are disabled', () => {
    expect(freshness(5, 0).stateAt(5_000)).to.equal('expired');
    expect(freshness(0, 0).stateAt(0)).to.equal('expired');
    expect(freshness(5, 3).cacheControl).to.equal(
      'public, max-age=5, stale-while-revalidate=3, stale-if-error=3',
    );
  });

  it("gives another date's page the first state after fresh", () => {
    expect([
      kept.afterDateChange,
      freshness(5, 0).afterDateChange,
      freshness(0, 60).afterDateChange,
    ]).to.deep.equal(['stale-while-revalidate', 'expired', 'stale-if-error']);
  });

  it('allows a page after an error even if pages are never fresh', () =>
    expect(freshness(0, 60).stateAt(0)).to.equal('stale-if-error'));
});

import { expect } from 'chai';
import { elapsed, systemClock } from './elapsed-time.ts';

describe('elapsed time', () => {
  const from = { wall: 1_000_000, monotonic: 500 };

  it('includes the sleep of a host, during which the monotonic clock stops', () =>
    expect(elapsed(from, { wall: 1_030_000, monotonic: 501 })).to.equal(30_000));

  it('is not shortened when the wall clock is set back', () =>
    expect(elapsed(from, { wall: 940_000, monotonic: 30_500 })).to.equal(30_000));

  it('is about zero between two reads of the system clocks', () => {
    const now = systemClock();
    expect(elapsed(now, systemClock())).to.be.within(0, 5_000);
  });
});

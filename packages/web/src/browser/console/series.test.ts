import { expect } from 'chai';
import type { StatusSample } from './api-types.ts';
import { appliedEvents, buildRate, livePoints, ratePoints, searchTimes } from './series.ts';

const sample = (at: number, more: Partial<StatusSample> = {}): StatusSample => ({
  at,
  end: 0,
  live: 1,
  generations: [],
  ...more,
});

describe('series of the live charts', () => {
  it('derive rates from offsets, and leave out a counter that became smaller', () => {
    const samples = [
      sample(0, { end: 10, generations: [{ number: 1, records: 10 }] }),
      sample(2_000, { end: 30, generations: [{ number: 1, records: 20 }] }),
      sample(4_000, { end: 5, generations: [{ number: 1, records: 0 }] }),
    ];
    expect(ratePoints(samples, ({ end }) => end)).to.deep.equal([{ at: 2_000, value: 10 }]);
    expect(ratePoints(samples, appliedEvents)).to.deep.equal([{ at: 2_000, value: 5 }]);
    expect(livePoints(samples, 'records').map(({ value }) => value)).to.deep.equal([10, 20, 0]);
  });

  it('give the mean time of the searches of one live generation', () => {
    const samples = [
      sample(0, { searches: { count: 0, milliseconds: 0 } }),
      sample(2_000, { searches: { count: 4, milliseconds: 20 } }),
      sample(4_000, { searches: { count: 4, milliseconds: 20 } }),
      sample(6_000, { live: 2, searches: { count: 9, milliseconds: 90 } }),
    ];
    expect(searchTimes(samples)).to.deep.equal([{ at: 2_000, value: 5 }]);
  });

  it('give the rate of a rebuild within its phase', () => {
    const running = (phase: string, done: number) => ({ running: { phase, done, total: 100 } });
    expect(buildRate([])).to.equal(undefined);
    expect(
      buildRate([
        sample(0, running('folding', 90)),
        sample(2_000, running('deriving', 10)),
        sample(4_000, running('deriving', 30)),
      ]),
    ).to.deep.equal({ rate: 10, secondsLeft: 7 });
    expect(buildRate([sample(0, running('folding', 5)), sample(2_000, running('folding', 5))])).to.deep.equal(
      {
        rate: 0,
      },
    );
  });
});

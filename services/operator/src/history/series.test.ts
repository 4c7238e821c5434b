import { expect } from 'chai';
import { lagPoints, ratePoints, searchTimes, withGaps } from './series.ts';
import type { StatusSample } from './status-samples.ts';

const sample = (at: number, more: Partial<StatusSample> = {}): StatusSample => ({
  at,
  end: 0,
  live: 1,
  ...more,
});
const behind = (records: number, position: number) => ({ lag: { records, seconds: 0, position } });

describe('series of the charts', () => {
  it('derive rates from offsets, and leave out a counter that decreased', () => {
    const samples = [
      sample(0, { end: 10, ...behind(10, 0) }),
      sample(2_000, { end: 30, ...behind(20, 10) }),
      sample(4_000, { end: 5, ...behind(0, 5) }),
    ];
    expect(ratePoints(samples, ({ end }) => end)).to.deep.equal([{ at: 2_000, value: 10 }]);
    expect(ratePoints(samples, ({ lag }) => lag?.position)).to.deep.equal([{ at: 2_000, value: 5 }]);
    expect(lagPoints(samples, 'records').map(({ value }) => value)).to.deep.equal([10, 20, 0]);
  });

  it('do not interpolate across an outage: a lag has a gap, and a rate across it has no point', () => {
    const samples = [
      sample(0, { end: 10, ...behind(0, 10) }),
      sample(2_000, { end: 12, ...behind(0, 12) }),
      sample(62_000, { isAfterGap: true, end: 600, ...behind(588, 12) }),
      sample(64_000, { end: 600, ...behind(0, 600) }),
    ];
    expect(lagPoints(samples, 'records')).to.deep.equal([
      { at: 0, value: 0 },
      { at: 2_000, value: 0 },
      { at: 62_000, value: 588, isAfterGap: true },
      { at: 64_000, value: 0 },
    ]);
    const rates = ratePoints(samples, ({ end }) => end);
    expect(rates.map(({ at }) => at)).to.deep.equal([2_000, 64_000]);
    expect(withGaps(rates, 30_000).map(({ isAfterGap = false }) => isAfterGap)).to.deep.equal([false, true]);
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
});

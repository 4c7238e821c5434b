import { expect } from 'chai';
import type { Status } from '../status/status.ts';
import { RANGES, SampleRings, type StatusSample, sampleOf } from './status-samples.ts';

const sample = (at: number, seconds = 0): StatusSample => ({
  at,
  end: 0,
  lag: { records: seconds, seconds, position: at },
});

describe('samples of the status', () => {
  it('contain the numbers of the charts', () => {
    const lag = { records: 2, seconds: 1, position: 10 };
    const status = {
      events: { end: 12 },
      generations: [
        { number: 1, role: 'live', items: 5, lag, searches: { count: 3, milliseconds: 9 } },
        { number: 2, role: 'building' },
      ],
    };
    expect(sampleOf(status as unknown as Status, 7)).to.deep.equal({
      at: 7,
      end: 12,
      live: 1,
      searches: { count: 3, milliseconds: 9 },
      lag,
    });
  });

  it('are bounded in each range, and coarser in the longer ones', () => {
    const rings = new SampleRings();
    const lengths = () => RANGES.map((range) => rings.of(range).length);
    for (let at = 0; at <= 90_000_000; at += 30_000) rings.add(sample(at));
    expect(lengths()).to.deep.equal([10, 120, 289]);
    for (let at = 90_000_000; at <= 90_400_000; at += 400) rings.add(sample(at));
    expect(lengths()).to.deep.equal([301, 133, 289]);
    for (const range of RANGES) expect(rings.of(range).at(-1)?.at).to.equal(90_400_000);
  });

  it('keep the peak of a period, and a gap within it', () => {
    const rings = new SampleRings();
    rings.add(sample(0));
    rings.add(sample(2_000, 90));
    rings.interrupt();
    rings.add(sample(4_000, 3));
    expect(rings.of('5m').map(({ isAfterGap = false }) => isAfterGap)).to.deep.equal([false, false, true]);
    expect(rings.of('1h')).to.deep.equal([
      { at: 4_000, end: 0, isAfterGap: true, lag: { records: 90, seconds: 90, position: 4_000 } },
    ]);
  });
});

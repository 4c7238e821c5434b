import { expect } from 'chai';
import type { Status } from '../status/status.ts';
import { type StatusSample, sampleOf, withSample } from './status-samples.ts';

describe('samples of the status', () => {
  it('contain the numbers of the live charts', () => {
    const status = {
      events: { end: 12 },
      generations: [
        {
          number: 1,
          role: 'live',
          items: 5,
          lag: { records: 2, seconds: 1 },
          searches: { count: 3, milliseconds: 9 },
        },
        { number: 2, role: 'building' },
      ],
      running: { generation: 2, phase: 'folding', done: 1, total: 4, alive: true, builders: [] },
    };
    expect(sampleOf(status as unknown as Status, 7)).to.deep.equal({
      at: 7,
      end: 12,
      live: 1,
      searches: { count: 3, milliseconds: 9 },
      generations: [{ number: 1, records: 2, seconds: 1, items: 5 }, { number: 2 }],
      running: { phase: 'folding', done: 1, total: 4 },
    });
  });

  it('are kept for five minutes, and are limited in number', () => {
    const sample = (at: number): StatusSample => ({ at, end: 0, generations: [] });
    const slow = [0, 200_000, 400_000].reduce<StatusSample[]>((all, at) => withSample(all, sample(at)), []);
    expect(slow.map(({ at }) => at)).to.deep.equal([200_000, 400_000]);
    let fast: StatusSample[] = [];
    for (let at = 0; at < 500; at++) fast = withSample(fast, sample(at));
    expect(fast).to.have.length(150);
  });
});

import { expect } from 'chai';
import { RangeReading, type ScanProgress, startsOf, type TopicRange } from './read-range.ts';

const RANGE: TopicRange = [
  { partition: 0, from: 10n, to: 20n },
  { partition: 2, from: 0n, to: 5n },
];

describe('the reading of a range', () => {
  let progress: ScanProgress[];
  let reading: RangeReading;
  beforeEach(() => {
    progress = [];
    reading = new RangeReading('t', RANGE, (one) => progress.push(one));
  });

  it('wants each record of the range once, even if the consumer begins again', () => {
    expect([9n, 10n, 19n, 20n].map((offset) => reading.wants(0, offset))).to.deep.equal([
      false,
      true,
      true,
      false,
    ]);
    expect(reading.wants(1, 10n), 'a partition outside of the range').to.equal(false);
    reading.reached(0, 15n);
    expect([10n, 14n, 15n].map((offset) => reading.wants(0, offset))).to.deep.equal([false, false, true]);
  });

  it('counts only records of the range, and never goes back', () => {
    reading.reached(0, 12n);
    reading.reached(0, 11n);
    reading.reached(0, 5n);
    reading.reached(1, 100n);
    reading.reached(0, 1_000n);
    expect(progress).to.deep.equal([
      { done: 2, total: 15 },
      { done: 10, total: 15 },
    ]);
  });

  it('ends when every partition has reached its end, even past removed records', async () => {
    reading.reached(0, 20n);
    expect(reading.isOver).to.equal(false);
    reading.reached(2, 7n);
    expect(reading.isOver).to.equal(true);
    await reading.over(new AbortController().signal);
    expect(reading.wants(0, 19n)).to.equal(false);
  });

  it('ends with its first error, and then reports no progress', async () => {
    const first = new Error('first');
    reading.fail(first);
    reading.fail(new Error('second'));
    reading.reached(0, 20n);
    expect(progress).to.deep.equal([]);
    const error = await reading.over(new AbortController().signal).catch((cause: unknown) => cause);
    expect(error).to.equal(first);
  });

  it('ends with the reason of the signal', async () => {
    const stop = new AbortController();
    const ending = reading.over(stop.signal).catch((cause: unknown) => cause);
    const reason = new Error('stopped');
    stop.abort(reason);
    expect(await ending).to.equal(reason);
  });

  it('begins at the range if a long log precedes it, and reads no other partition', () => {
    const log = (low: number) => [0, 1, 2].map((partition) => ({ partition, low: `${low}`, high: '900000' }));
    const late = [{ partition: 0, from: 600_000n, to: 700_000n }];
    expect(startsOf(late, log(0))).to.deep.equal([
      { partition: 0, offset: '600000' },
      { partition: 1, offset: '900000' },
      { partition: 2, offset: '900000' },
    ]);
    expect(startsOf(late, log(599_999).slice(0, 1)), 'a short log').to.equal(undefined);
  });
});

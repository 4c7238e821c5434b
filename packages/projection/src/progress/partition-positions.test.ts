import { expect } from 'chai';
import { PartitionPositions } from './partition-positions.ts';

describe('PartitionPositions', () => {
  const reading = (committed: bigint | undefined, now = 0) => {
    const positions = new PartitionPositions();
    positions.assign([0]);
    positions.observe(0, now, { low: 0n, end: 100n, committed });
    return positions;
  };

  it('lag counts from the committed offset, and then from what is finished', () => {
    const positions = reading(50n);
    expect([positions.lag(0), positions.hasLag()]).to.deep.equal([50n, true]);
    positions.finished(0, 60n);
    expect(positions.lag(0)).to.equal(40n);
    positions.finished(0, 100n);
    expect([positions.lag(0), positions.hasLag()]).to.deep.equal([0n, false]);
  });
  it('a group that never committed has the whole log as lag', () =>
    expect(reading(undefined).lag(0)).to.equal(100n));
  it('a log that begins after the next record has lost records', () => {
    const positions = reading(50n);
    expect(positions.lost()).to.equal(undefined);
    positions.observe(0, 1, { low: 51n, end: 100n, committed: 50n });
    expect(positions.lost()).to.equal(0);
  });
  it('records in memory are not lost when the log forgets them', () => {
    const positions = reading(50n);
    positions.fetched(0, 60n);
    positions.observe(0, 1, { low: 60n, end: 100n, committed: 50n });
    expect(positions.lost()).to.equal(undefined);
    positions.observe(0, 1, { low: 61n, end: 100n, committed: 50n });
    expect(positions.lost()).to.equal(0);
  });
  it('a log that ends before the committed offset was cut', () => {
    const positions = reading(50n);
    positions.observe(0, 1, { low: 0n, end: 49n, committed: 50n });
    expect(positions.lost()).to.equal(0);
  });
  it('knows nothing of partitions that are not assigned', () => {
    const positions = reading(0n);
    positions.assign([1]);
    positions.finished(0, 7n);
    positions.observe(0, 1, { low: 51n, end: 100n, committed: 50n });
    expect(positions.partitions()).to.deep.equal([1]);
    expect([positions.lag(0), positions.lagSeconds(0, 1e9), positions.lost()]).to.deep.equal([
      0n,
      0,
      undefined,
    ]);
  });

  describe('age of the first unfinished record', () => {
    const NOW = 10_000_000;

    it('is by its timestamp while it is held', () => {
      const positions = reading(50n, NOW);
      positions.reading(0, NOW - 7_200);
      expect(positions.lagSeconds(0, NOW)).to.equal(8);
    });
    it('is that of the record before it until it is fetched', () => {
      const positions = reading(50n, NOW);
      positions.reading(0, NOW - 9_000);
      positions.finished(0, 60n, NOW - 5_000);
      expect(positions.lagSeconds(0, NOW)).to.equal(5);
    });
    it('is no more than the time since there was no lag', () => {
      const positions = reading(50n, NOW);
      positions.finished(0, 100n, NOW - 3_600_000);
      positions.observe(0, NOW, { low: 0n, end: 100n, committed: 100n });
      expect(positions.lagSeconds(0, NOW)).to.equal(0);
      positions.observe(0, NOW + 2_000, { low: 0n, end: 101n, committed: 100n });
      expect(positions.lagSeconds(0, NOW + 2_000)).to.equal(2);
    });
    it('counts from the first sight of the lag when nothing was read, also through a rebalance', () => {
      const positions = reading(50n, NOW);
      positions.assign([0, 1]);
      positions.observe(0, NOW + 30_000, { low: 0n, end: 100n, committed: 50n });
      expect(positions.lagSeconds(0, NOW + 30_000)).to.equal(30);
    });
  });
});

import { expect } from 'chai';
import { PartitionPositions } from './partition-positions.ts';

describe('PartitionPositions', () => {
  const reading = (committed: bigint | undefined, now = 0) => {
    const positions = new PartitionPositions();
    positions.assign([0]);
    positions.observe(0, now, { low: 0n, end: 100n, stable: 100n, committed });
    return positions;
  };

  it('counts lag from the committed offset, and later from the last finished record', () => {
    const positions = reading(50n);
    expect([positions.lag(0), positions.hasReadableLag()]).to.deep.equal([50n, true]);
    positions.finished(0, 60n);
    expect(positions.lag(0)).to.equal(40n);
    positions.finished(0, 100n);
    expect([positions.lag(0), positions.hasReadableLag()]).to.deep.equal([0n, false]);
  });
  it('counts records of open transactions, which nobody can read yet (KAFKA-9144)', () => {
    const positions = new PartitionPositions();
    positions.assign([0, 1]);
    const log = { low: 0n, end: 100n, committed: 50n };
    positions.observe(0, 0, { ...log, stable: 60n });
    expect([positions.lag(0), positions.withReadableLag()]).to.deep.equal([50n, [0]]);
    positions.finished(0, 60n);
    expect([positions.lag(0), positions.hasReadableLag()]).to.deep.equal([40n, false]);
    expect(positions.heldBack()).to.deep.equal([{ partition: 0, offset: 60n, records: 40n }]);
    positions.observe(0, 0, { ...log, stable: 100n });
    expect([positions.heldBack(), positions.hasReadableLag()]).to.deep.equal([[], true]);
  });
  it('counts the lag of an added partition only in the consumer of partition 0, until it is assigned', () => {
    const added = { low: 0n, end: 5n, stable: 5n, committed: undefined };
    const first = new PartitionPositions();
    first.assign([0, 2]);
    first.observe(3, 1_000, added);
    expect([first.partitions(), first.lag(3), first.lagSeconds(3, 4_000)]).to.deep.equal([[0, 2, 3], 5n, 3]);
    expect([first.hasReadableLag(), first.heldBack(), first.lost()]).to.deep.equal([false, [], undefined]);
    const second = new PartitionPositions();
    second.assign([1]);
    second.observe(3, 1_000, added);
    expect(second.partitions()).to.deep.equal([1]);
    // Another member consumes the partition, as its commit shows.
    first.observe(3, 5_000, { ...added, committed: 2n });
    expect(first.partitions()).to.deep.equal([0, 2]);
    first.assign([0, 3]);
    first.observe(3, 6_000, added);
    expect([first.partitions(), first.hasReadableLag()]).to.deep.equal([[0, 3], true]);
  });
  it('counts the whole log as the lag of a group without commits', () =>
    expect(reading(undefined).lag(0)).to.equal(100n));
  it('reports lost records if the log begins after the next record', () => {
    const positions = reading(50n);
    expect(positions.lost()).to.equal(undefined);
    positions.observe(0, 1, { low: 51n, end: 100n, stable: 100n, committed: 50n });
    expect(positions.lost()).to.equal(0);
  });
  it('does not report records in memory as lost after their deletion', () => {
    const positions = reading(50n);
    positions.fetched(0, 60n);
    positions.observe(0, 1, { low: 60n, end: 100n, stable: 100n, committed: 50n });
    expect(positions.lost()).to.equal(undefined);
    positions.observe(0, 1, { low: 61n, end: 100n, stable: 100n, committed: 50n });
    expect(positions.lost()).to.equal(0);
  });
  it('reports lost records if the log ends before the committed offset', () => {
    const positions = reading(50n);
    positions.observe(0, 1, { low: 0n, end: 49n, stable: 49n, committed: 50n });
    expect(positions.lost()).to.equal(0);
  });
  it('ignores partitions that are not assigned', () => {
    const positions = reading(0n);
    positions.assign([1]);
    positions.finished(0, 7n);
    positions.observe(0, 1, { low: 51n, end: 100n, stable: 100n, committed: 50n });
    expect(positions.partitions()).to.deep.equal([1]);
    expect([positions.lag(0), positions.lagSeconds(0, 1e9), positions.lost()]).to.deep.equal([
      0n,
      0,
      undefined,
    ]);
  });

  describe('age of the first unfinished record', () => {
    const NOW = 10_000_000;

    it('comes from its timestamp while it is in memory', () => {
      const positions = reading(50n, NOW);
      positions.reading(0, NOW - 7_200);
      expect(positions.lagSeconds(0, NOW)).to.equal(8);
    });
    it('comes from the previous record until it is fetched', () => {
      const positions = reading(50n, NOW);
      positions.reading(0, NOW - 9_000);
      positions.finished(0, 60n, NOW - 5_000);
      expect(positions.lagSeconds(0, NOW)).to.equal(5);
    });
    it('is at most the time since the lag was last zero', () => {
      const positions = reading(50n, NOW);
      positions.finished(0, 100n, NOW - 3_600_000);
      positions.observe(0, NOW, { low: 0n, end: 100n, stable: 100n, committed: 100n });
      expect(positions.lagSeconds(0, NOW)).to.equal(0);
      positions.observe(0, NOW + 2_000, { low: 0n, end: 101n, stable: 101n, committed: 100n });
      expect(positions.lagSeconds(0, NOW + 2_000)).to.equal(2);
    });
    it('counts from the first observed lag if nothing was read, even across a rebalance', () => {
      const positions = reading(50n, NOW);
      positions.assign([0, 1]);
      positions.observe(0, NOW + 30_000, { low: 0n, end: 100n, stable: 100n, committed: 50n });
      expect(positions.lagSeconds(0, NOW + 30_000)).to.equal(30);
    });
  });
});

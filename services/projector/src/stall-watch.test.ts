import { expect } from 'chai';
import { StallWatch } from './stall-watch.ts';

describe('StallWatch', () => {
  const watching = (committed: bigint | undefined) => {
    const watch = new StallWatch({ unreadyAfter: 10, endAfter: 30 });
    watch.assign([0], 0);
    watch.observe(0, 0, { low: 0n, end: 100n, committed }, false);
    return watch;
  };

  it('with lag and no move: moving, then stalled, then dead', () => {
    const watch = watching(50n);
    expect([5, 11, 31].map((now) => watch.verdict(0, now))).to.deep.equal(['moving', 'stalled', 'dead']);
    expect(watch.lag(0)).to.equal(50n);
  });
  it('every move starts the time anew', () => {
    const watch = watching(50n);
    watch.moved(0, 25, 60n);
    expect(watch.verdict(0, 31)).to.equal('moving');
    expect(watch.lag(0)).to.equal(40n);
  });
  it('without lag silence is no stall', () => {
    const watch = watching(100n);
    watch.observe(0, 1000, { low: 0n, end: 100n, committed: 100n }, false);
    expect(watch.verdict(0, 1005)).to.equal('moving');
  });
  it('a declared pause is no stall', () => {
    const watch = watching(50n);
    watch.observe(0, 1000, { low: 0n, end: 100n, committed: 50n }, true);
    expect(watch.verdict(0, 1005)).to.equal('moving');
  });
  it('a group that never committed has the whole log as lag', () => expect(watching(undefined).lag(0)).to.equal(100n));
  it('a log that begins after the position has lost records', () => {
    const watch = watching(50n);
    watch.observe(0, 1, { low: 51n, end: 100n, committed: 50n }, false);
    expect(watch.verdict(0, 1)).to.equal('lost');
  });
  it('what was fetched is not lost, though the log has forgotten it', () => {
    const watch = watching(50n);
    watch.fetched(0, 60n);
    watch.observe(0, 1, { low: 60n, end: 100n, committed: 50n }, false);
    expect(watch.verdict(0, 1)).to.equal('moving');
    watch.observe(0, 1, { low: 61n, end: 100n, committed: 50n }, false);
    expect(watch.verdict(0, 1)).to.equal('lost');
  });
  it('a log that ends before the committed offset was cut', () => {
    const watch = watching(50n);
    watch.observe(0, 1, { low: 0n, end: 49n, committed: 50n }, false);
    expect(watch.verdict(0, 1)).to.equal('lost');
  });
  it('after a long time without a look at the log nobody is blamed', () => {
    const watch = watching(100n);
    watch.look(0);
    watch.look(1_000);
    watch.observe(0, 1_000, { low: 0n, end: 101n, committed: 100n }, false);
    expect(watch.verdict(0, 1_000)).to.equal('moving');
  });
  it('knows nothing of partitions that are not assigned', () => {
    const watch = watching(0n);
    watch.assign([1], 0);
    expect(watch.partitions()).to.deep.equal([1]);
    expect(watch.verdict(0, 1e9)).to.equal('moving');
  });
});

import { expect } from 'chai';
import { StallWatch } from './stall-watch.ts';

const BUSY = { hasLag: true, isPaused: false };

describe('StallWatch', () => {
  const watching = () => {
    const watch = new StallWatch({ unreadyAfter: 10, endAfter: 30 });
    watch.observe(0, BUSY);
    return watch;
  };

  it('reports moving, then stalled, then dead if there is lag without progress', () => {
    const watch = watching();
    expect([5, 11, 31].map((now) => watch.liveness(now))).to.deep.equal(['moving', 'stalled', 'dead']);
  });
  it('restarts the clock on progress', () => {
    const watch = watching();
    watch.recordProgress(25);
    expect([31, 36, 56].map((now) => watch.liveness(now))).to.deep.equal(['moving', 'stalled', 'dead']);
  });
  it('reports no stall without lag', () => {
    const watch = watching();
    watch.observe(9, { hasLag: false, isPaused: false });
    expect(watch.liveness(15)).to.equal('moving');
  });
  it('reports no stall during a pause', () => {
    const watch = watching();
    watch.observe(9, { hasLag: true, isPaused: true });
    expect(watch.liveness(15)).to.equal('moving');
  });
  it('does not count a long time between observations', () => {
    const watch = watching();
    watch.observe(1_000, BUSY);
    expect(watch.liveness(1_000)).to.equal('moving');
  });
  it('does not count observations as progress', () => {
    const watch = watching();
    for (let now = 1; now <= 31; now++) watch.observe(now, BUSY);
    expect(watch.liveness(31)).to.equal('dead');
  });

  it('never reports a rebuild as dead while its partitions take turns', () => {
    // A rebuild from 500,000 records of 600 bytes in 12 partitions, at 1,200 records per second.
    const { verdicts, longestWait, seconds } = slowRebuild();
    expect(seconds).to.be.within(400, 430);
    expect(longestWait, 'a partition waits for longer than the limit').to.be.above(180);
    expect([...verdicts]).to.deep.equal(['moving']);
  });
});

/**
 * Simulates the schedule of kafkajs: a fetch contains 8 partitions in random order, of which 4 are processed
 * concurrently, chunk by chunk.
 */
function slowRebuild(): { verdicts: Set<string>; longestWait: number; seconds: number } {
  const PARTITIONS = 12;
  const RECORDS = 41_667;
  const FETCHED = 13_981;
  const CHUNK = 2_000;
  const RECORDS_PER_MS = 1.2;
  const watch = new StallWatch({ unreadyAfter: 60_000, endAfter: 180_000 });
  const verdicts = new Set<string>();
  const partitions = Array.from({ length: PARTITIONS }, () => ({ left: RECORDS, movedAt: 0 }));
  let longestWait = 0;
  let now = 0;
  watch.observe(now, BUSY);
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed;
  };
  const advance = (to: number) => {
    for (let look = Math.floor(now / 5_000) * 5_000 + 5_000; look <= to; look += 5_000) {
      watch.observe(look, BUSY);
      verdicts.add(watch.liveness(look));
    }
    now = to;
  };
  while (partitions.some(({ left }) => left > 0)) {
    const queue = partitions
      .filter(({ left }) => left > 0)
      .map((partition) => ({ partition, at: random() }))
      .sort((a, b) => a.at - b.at)
      .slice(0, 8)
      .map(({ partition }) => ({ partition, fetched: Math.min(FETCHED, partition.left) }));
    const working = queue.splice(0, 4);
    for (let batch = working.shift(); batch; batch = working.shift()) {
      const chunk = Math.min(CHUNK, batch.fetched);
      advance(now + chunk / RECORDS_PER_MS);
      batch.fetched -= chunk;
      batch.partition.left -= chunk;
      watch.recordProgress(now);
      longestWait = Math.max(longestWait, (now - batch.partition.movedAt) / 1_000);
      batch.partition.movedAt = now;
      const next = batch.fetched > 0 ? batch : queue.shift();
      if (next) working.push(next);
    }
  }
  return { verdicts, longestWait, seconds: now / 1_000 };
}

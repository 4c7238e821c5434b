import type { Builder } from '@vitrine/feed-index';
import { expect } from 'chai';
import { HeartbeatWatch } from './heartbeat-watch.ts';

const builder = (id: string, beats: number): Builder => ({
  id,
  host: 'h',
  pid: 1,
  started_at: '',
  // The time may come from any clock, because only a change counts.
  seen_at: new Date(Date.UTC(2001, 0, 1) + beats).toISOString(),
});

describe('the watch over the heartbeats of other builders', () => {
  let watch: HeartbeatWatch;
  beforeEach(() => {
    watch = new HeartbeatWatch();
  });

  /** Takes a reading every two seconds. @returns the ids that were reported at each reading */
  const readings = (seconds: number, from: number, beatsOf: (second: number) => Builder[]): string[][] =>
    Array.from({ length: seconds / 2 + 1 }, (_, i) =>
      watch.observe(beatsOf(from + 2 * i), (from + 2 * i) * 1_000),
    );

  it('reports a builder after 15 seconds without a new heartbeat, whatever the clock of its host', () => {
    const reported = readings(20, 0, (second) => [builder('dead', 7), builder('alive', second)]);
    expect(reported.slice(0, 8).flat()).to.deep.equal([]);
    expect(reported.slice(8)).to.deep.equal([['dead'], ['dead'], ['dead']]);
  });

  it('starts again with each heartbeat, and with a builder that returns', () => {
    expect(readings(14, 0, () => [builder('slow', 1)]).flat()).to.deep.equal([]);
    expect(readings(12, 16, () => [builder('slow', 2)]).flat()).to.deep.equal([]);
    expect(readings(2, 30, () => []).flat()).to.deep.equal([]);
    expect(readings(12, 34, () => [builder('slow', 2)]).flat()).to.deep.equal([]);
  });

  it('starts again after a gap, because the others may have been unable to write too', () => {
    expect(readings(10, 0, () => [builder('a', 1)]).flat()).to.deep.equal([]);
    expect(readings(14, 60, () => [builder('a', 1)]).flat()).to.deep.equal([]);
    expect(readings(4, 76, () => [builder('a', 1)]).flat()).to.deep.equal(['a', 'a', 'a']);
  });
});

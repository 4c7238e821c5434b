import { expect } from 'chai';
import { RestartDelay } from './worker-health.ts';

describe('restarts', () => {
  it('doubles up to half a minute', () => {
    const restarts = new RestartDelay();
    expect(Array.from({ length: 8 }, () => restarts.delayAfter(100))).to.deep.equal([
      500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
  });

  it('starts again after a process that ran for a minute', () => {
    const restarts = new RestartDelay();
    for (let i = 0; i < 5; i++) restarts.delayAfter(100);
    expect(restarts.delayAfter(3_600_000)).to.equal(500);
  });
});

import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { watchEventLoopDelay } from './event-loop-delay.ts';

describe('event loop delay', () => {
  it('reports busy only while the event loop is late', async () => {
    const delay = watchEventLoopDelay();
    const deadline = performance.now() + 15_000;
    try {
      while (!(delay.isBusy() && delay.seconds() > 0.1) && performance.now() < deadline) {
        const until = performance.now() + 250;
        while (performance.now() < until);
        await pass(1);
      }
      expect(delay.isBusy()).to.equal(true);
      while (delay.isBusy() && performance.now() < deadline) await pass(100);
      expect(delay.isBusy()).to.equal(false);
    } finally {
      delay.stop();
    }
  }).timeout(20_000);
});

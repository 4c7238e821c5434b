import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { watchEventLoopDelay } from './event-loop-delay.ts';

describe('event loop delay', () => {
  it('is busy while everything is late, and not afterwards', async () => {
    const delay = watchEventLoopDelay();
    try {
      const end = performance.now() + 1_300;
      let sawBusy = false;
      while (performance.now() < end) {
        const until = performance.now() + 250;
        while (performance.now() < until);
        await pass(1);
        sawBusy ||= delay.isBusy() && delay.seconds() > 0.1;
      }
      expect(sawBusy).to.equal(true);
      await pass(1_200);
      expect(delay.isBusy()).to.equal(false);
    } finally {
      delay.stop();
    }
  }).timeout(10_000);
});

import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { yieldingBatches } from './yielding-batches.ts';

describe('yieldingBatches', () => {
  const all = Array.from({ length: 1_050 }, (_, i) => i);
  afterEach(() => mock.restoreAll());

  it('returns all elements in order', async () => {
    const given: number[] = [];
    for await (const batch of yieldingBatches(all)) given.push(...batch);
    expect(given).to.deep.equal(all);
    for await (const batch of yieldingBatches([])) expect.fail(String(batch));
  });

  it('lets other events run in between', async () => {
    let seen = 0;
    let over = false;
    const others = (async () => {
      for (; !over; await nextTurn()) seen++;
    })();
    for await (const batch of yieldingBatches(all)) expect([...batch].length).to.be.at.most(100);
    over = true;
    await others;
    expect(seen).to.be.at.least(9);
  });

  it('ends a batch early if its items take a long time, because heartbeats wait for its end', async () => {
    let now = 0;
    mock.method(performance, 'now', () => now);
    const sizes: number[] = [];
    for await (const batch of yieldingBatches([15, 15, 15, 5_000, 0, 0])) {
      let size = 0;
      for (const ms of batch) {
        now += ms;
        size++;
      }
      sizes.push(size);
    }
    expect(sizes).to.deep.equal([2, 2, 2]);
  });
});

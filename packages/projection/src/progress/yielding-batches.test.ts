import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { yieldingBatches } from './yielding-batches.ts';

describe('yieldingBatches', () => {
  const all = Array.from({ length: 1_050 }, (_, i) => i);

  it('returns all elements in order', async () => {
    const given: number[] = [];
    for await (const stretch of yieldingBatches(all)) given.push(...stretch);
    expect(given).to.deep.equal(all);
    for await (const stretch of yieldingBatches([])) expect.fail(String(stretch));
  });
  it('lets other events run in between', async () => {
    let seen = 0;
    let over = false;
    const others = (async () => {
      for (; !over; await nextTurn()) seen++;
    })();
    for await (const stretch of yieldingBatches(all)) expect(stretch.length).to.be.at.most(100);
    over = true;
    await others;
    expect(seen).to.be.at.least(9);
  });
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { CpuTurns, yieldingBatches } from './cpu-turns.ts';

describe('Preparation', () => {
  it('folds a decoded chunk before it decodes the next chunk', async () => {
    const cpuTurns = new CpuTurns();
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await nextTurn();
      log.push(`${name} ends`);
    };
    const chunk = async (name: string) => {
      await cpuTurns.decode(work(`decoding ${name}`));
      await cpuTurns.fold(work(`folding ${name}`));
    };
    await Promise.all([chunk('a'), chunk('b'), chunk('c')]);
    expect(log).to.deep.equal(
      ['a', 'b', 'c'].flatMap((name) =>
        ['decoding', 'folding'].flatMap((what) => [`${what} ${name} begins`, `${what} ${name} ends`]),
      ),
    );
  });
  it('passes on an error of the work, and continues', async () => {
    const cpuTurns = new CpuTurns();
    const failed = await cpuTurns
      .decode(() => Promise.reject(new Error('no')))
      .catch((error: Error) => error.message);
    expect([failed, await cpuTurns.fold(async () => 'yes')]).to.deep.equal(['no', 'yes']);
  });
});

describe('inStretches', () => {
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

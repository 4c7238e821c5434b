import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { CpuTurns } from './cpu-turns.ts';

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

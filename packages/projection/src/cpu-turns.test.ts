import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { inStretches, Preparation } from './cpu-turns.ts';

describe('Preparation', () => {
  it('goes on with what is decoded before another chunk is decoded, one at a time', async () => {
    const preparation = new Preparation();
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await nextTurn();
      log.push(`${name} ends`);
    };
    const chunk = async (name: string) => {
      await preparation.decode(work(`decoding ${name}`));
      await preparation.fold(work(`folding ${name}`));
    };
    await Promise.all([chunk('a'), chunk('b'), chunk('c')]);
    expect(log).to.deep.equal(
      ['a', 'b', 'c'].flatMap((name) => ['decoding', 'folding'].flatMap((what) => [`${what} ${name} begins`, `${what} ${name} ends`])),
    );
  });
  it('hands on what the work throws, and goes on', async () => {
    const preparation = new Preparation();
    const failed = await preparation.decode(() => Promise.reject(new Error('no'))).catch((error: Error) => error.message);
    expect([failed, await preparation.fold(async () => 'yes')]).to.deep.equal(['no', 'yes']);
  });
});

describe('inStretches', () => {
  const all = Array.from({ length: 1_050 }, (_, i) => i);

  it('gives all of it, in order', async () => {
    const given: number[] = [];
    for await (const stretch of inStretches(all)) given.push(...stretch);
    expect(given).to.deep.equal(all);
    for await (const stretch of inStretches([])) expect.fail(String(stretch));
  });
  it('lets what arrives meanwhile be seen to', async () => {
    let seen = 0;
    let over = false;
    const others = (async () => {
      for (; !over; await nextTurn()) seen++;
    })();
    for await (const stretch of inStretches(all)) expect(stretch.length).to.be.at.most(100);
    over = true;
    await others;
    expect(seen).to.be.at.least(9);
  });
});

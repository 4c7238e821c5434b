import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { freePorts } from './command-run.ts';

describe('free ports', () => {
  it('differ in each call and in each process, even if nothing listens on them yet', async function () {
    this.timeout(120_000);
    const script = `
      import { freePorts } from ${JSON.stringify(new URL('./command-run.ts', import.meta.url).href)};
      const found = [];
      for (let call = 0; call < 150; call += 1) found.push(await freePorts());
      process.send(found);
      // A process that ends gives its ports back.
      setInterval(() => {}, 60_000);`;
    const other = fork('the script', [], { execArgv: ['--input-type=module', '--eval', script] });
    const theirs = once(other, 'message') as Promise<[number[]]>;
    const ours: number[] = [];
    for (let call = 0; call < 150; call += 1) ours.push(await freePorts());
    const all = [...ours, ...(await theirs)[0]];
    other.kill();
    expect(new Set(all).size).to.equal(300);
    for (const port of all) expect(port).to.be.within(12_001, 19_994);
  });
});

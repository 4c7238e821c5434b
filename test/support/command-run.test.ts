import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { fourFreePorts } from './command-run.ts';

describe('four free ports', () => {
  it('differ in each call and in each process, even if nothing listens on them yet', async function () {
    this.timeout(120_000);
    const script = `
      import { fourFreePorts } from ${JSON.stringify(new URL('./command-run.ts', import.meta.url).href)};
      const found = [];
      for (let call = 0; call < 300; call += 1) found.push(await fourFreePorts());
      process.send(found);`;
    const other = fork('the script', [], { execArgv: ['--input-type=module', '--eval', script] });
    const theirs = once(other, 'message') as Promise<[number[]]>;
    const ours: number[] = [];
    for (let call = 0; call < 300; call += 1) ours.push(await fourFreePorts());
    const all = [...ours, ...(await theirs)[0]];
    other.kill();
    expect(new Set(all).size).to.equal(600);
    for (const port of all) expect(port).to.be.within(12_001, 19_996);
  });
});

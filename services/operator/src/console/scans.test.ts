import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { CommandResult, CommandRunOptions } from './command-runs.ts';
import { Scans, TooManyScansError } from './scans.ts';

/** Scans whose commands end when the test says so. */
function manual() {
  const runs: { name: string; end(): void; options: CommandRunOptions }[] = [];
  const scans = new Scans((argv, options) => {
    const { promise, resolve } = Promise.withResolvers<CommandResult>();
    const end = () => resolve({ code: 0, stdout: argv.join(' ') });
    options.signal.addEventListener('abort', () => resolve({ code: 130, stdout: 'interrupted' }));
    runs.push({ name: argv.slice(1).join(' '), end, options });
    return promise;
  });
  return { scans, runs, names: () => runs.map(({ name }) => name) };
}

const staying = () => new AbortController().signal;

describe('scans of the console', () => {
  it('run one after the other, and equal requests share a scan', async () => {
    const { scans, runs, names } = manual();
    const results = [
      ['explain', 'a'],
      ['explain', 'b'],
      ['explain', 'a'],
    ].map((argv) => scans.read(argv, staying()));
    await turn();
    expect(names()).to.deep.equal(['a']);
    runs[0]?.options.onProgress('reading', 1, 4);
    expect(scans.running).to.deep.include({ argv: ['explain', 'a'], waiting: 1 });
    expect(scans.running?.progress).to.deep.equal({ label: 'reading', done: 1, total: 4 });
    runs[0]?.end();
    await turn();
    expect(names()).to.deep.equal(['a', 'b']);
    runs[1]?.end();
    expect((await Promise.all(results)).map(({ stdout }) => stdout)).to.deep.equal([
      'explain a',
      'explain b',
      'explain a',
    ]);
    expect(scans.running).to.equal(undefined);
  });

  it('end when the last reader has gone, and the next scan begins', async () => {
    const { scans, runs, names } = manual();
    const [first, second] = [new AbortController(), new AbortController()];
    const results = [first, second].map(({ signal }) => scans.read(['explain', 'a'], signal));
    const next = scans.read(['explain', 'b'], staying());
    await turn();
    first.abort();
    expect(runs[0]?.options.signal.aborted).to.equal(false);
    second.abort();
    expect(runs[0]?.options.signal.aborted).to.equal(true);
    expect((await Promise.all(results)).map(({ code }) => code)).to.deep.equal([130, 130]);
    await turn();
    expect(names()).to.deep.equal(['a', 'b']);
    runs[1]?.end();
    expect((await next).stdout).to.equal('explain b');
  });

  it('of another command do not wait', async () => {
    const { scans, runs, names } = manual();
    const results = [
      ['explain', 'hung'],
      ['dead-letters', 'list'],
    ].map((argv) => scans.read(argv, staying()));
    await turn();
    expect(names()).to.deep.equal(['hung', 'list']);
    expect(scans.running).to.include({ waiting: 0 });
    for (const { end } of runs) end();
    await Promise.all(results);
  });

  it('are refused if too many wait', async () => {
    const { scans } = manual();
    const results = Array.from({ length: 9 }, (_, i) => scans.read(['explain', String(i)], staying()));
    let refused: unknown;
    await scans.read(['explain', 'x'], staying()).catch((error: unknown) => {
      refused = error;
    });
    expect(refused).to.be.instanceOf(TooManyScansError);
    await scans.close();
    expect(await Promise.all(results)).to.have.length(9);
  });
});

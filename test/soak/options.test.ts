import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readOptions } from './options.ts';

describe('the options of the soak', () => {
  it('have defaults, and a random seed', () => {
    const options = readOptions([]);
    expect(options).to.include({ minutes: 20, rate: 100, json: false, help: false });
    expect(options).to.have.property('seed').that.satisfies(Number.isInteger);
  });

  it('are read from the arguments', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-soak-options-'));
    const file = join(folder, 'a b.json');
    const args = ['--minutes', '0.5', '--seed', '0', '--rate', '7', '--json', '--out', file];
    expect(readOptions(args)).to.include({ minutes: 0.5, seed: 0, rate: 7, json: true, out: file });
    await rm(folder, { recursive: true });
  });

  for (const args of [
    ['--minutes', '0'],
    ['--minutes', 'x'],
    ['--minutes='],
    ['--minutes', '1e9'],
    ['--seed', '1.5'],
    ['--seed=-1'],
    ['--rate', 'Infinity'],
    ['--rte', '5'],
    ['5'],
    ['--out', '/dev/null/report.json'],
  ])
    it(`refuse ${args.join(' ')}`, () => expect(readOptions(args)).to.have.property('problem'));
});

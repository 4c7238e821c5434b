import { expect } from 'chai';
import { readOptions } from './options.ts';

describe('the options of the soak', () => {
  it('have defaults, and a random seed', () => {
    const options = readOptions([]);
    expect(options).to.include({ minutes: 20, rate: 100, json: false, help: false });
    expect(options).to.have.property('seed').that.satisfies(Number.isInteger);
  });

  it('are read from the arguments', () => {
    const args = ['--minutes', '0.5', '--seed', '0', '--rate', '7', '--json', '--out', 'a b.json'];
    expect(readOptions(args)).to.include({ minutes: 0.5, seed: 0, rate: 7, json: true, out: 'a b.json' });
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
  ])
    it(`refuse ${args.join(' ')}`, () => expect(readOptions(args)).to.have.property('problem'));
});

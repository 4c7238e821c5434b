import { expect } from 'chai';
import { versionText } from './formats.ts';
import { EXPLAIN } from './texts-explain.ts';

describe('a version in the console', () => {
  it('is a number, or a number of an epoch', () => {
    expect(versionText(5, EXPLAIN.en)).to.equal('5');
    expect(versionText([2, 5], EXPLAIN.en)).to.equal('5 of epoch 2');
    expect(versionText([2, 5], EXPLAIN['pt-BR'])).to.equal('5 da época 2');
  });
});

import { expect } from 'chai';
import { versionText } from './formats.ts';
import { EXPLAIN_EN, EXPLAIN_PT } from './texts-explain.ts';

describe('a version in the console', () => {
  it('is a number, or a number of an epoch', () => {
    expect(versionText(5, EXPLAIN_EN)).to.equal('5');
    expect(versionText([2, 5], EXPLAIN_EN)).to.equal('5 of epoch 2');
    expect(versionText([2, 5], EXPLAIN_PT)).to.equal('5 da época 2');
  });
});

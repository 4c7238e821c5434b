import { expect } from 'chai';
import { compareVersions, describeVersion, epochOf, higherVersion, numberOf, versionOf } from './version.ts';

describe('a version', () => {
  const ascending = [1, 5, Number.MAX_SAFE_INTEGER].flatMap((number) => [versionOf(0, number)]);
  ascending.push(versionOf(1, 1), versionOf(1, 5), versionOf(2, 1), versionOf(1_000_000, 1));

  it('compares by epoch, and then by number', () => {
    for (const [i, a] of ascending.entries())
      for (const [j, b] of ascending.entries()) {
        expect(Math.sign(compareVersions(a, b)), `${a} and ${b}`).to.equal(Math.sign(i - j));
        expect(higherVersion(a, b)).to.equal(ascending[Math.max(i, j)]);
      }
  });

  it('is a plain number in epoch 0, as in the states of release 1.1.0', () => {
    expect([versionOf(0, 5), epochOf(5), numberOf(5)]).to.deep.equal([5, 0, 5]);
  });

  it('has its epoch and its number as text', () => {
    expect([versionOf(0, 5), versionOf(1, 5)].map(describeVersion)).to.deep.equal(['5', '5 of epoch 1']);
    expect([epochOf(versionOf(7, 5)), numberOf(versionOf(7, 5))]).to.deep.equal([7, 5]);
  });
});

import { expect } from 'chai';
import { weakEtag } from './representation.ts';

describe('entity tag', () => {
  it('is weak and equal for equal content', () => {
    expect(weakEtag('a')).to.match(/^W\/"[\w-]{43}"$/);
    expect(weakEtag('a')).to.equal(weakEtag('a'));
    expect(weakEtag('a')).not.to.equal(weakEtag('b'));
  });
});

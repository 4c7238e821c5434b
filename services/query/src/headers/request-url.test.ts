import { expect } from 'chai';
import { originForm, splitUrl } from '../request/query-string.ts';

describe('request URL', () => {
  it('in origin form stays unchanged', () => {
    for (const target of ['/', '/api/public-feed?city=S%C3%A3o', '//a/b', '/a%ZZ?%', '/?a=http://b/c'])
      expect(originForm(target), target).to.equal(target);
  });

  it('in any other form becomes origin form', () => {
    expect(originForm('http://host:1/a?b#c')).to.equal('/a?b');
    expect(originForm('http://host')).to.equal('/');
    expect(originForm('HTTP://[::1?a')).to.equal('/?a');
    expect(originForm('*')).to.equal('/*');
    expect(originForm('')).to.equal('/');
    expect(originForm('/a#b?c')).to.equal('/a');
  });

  it('splits at the first question mark', () => {
    expect(splitUrl('/a?b?c')).to.deep.equal({ path: '/a', query: 'b?c' });
    expect(splitUrl('/a')).to.deep.equal({ path: '/a', query: '' });
  });
});

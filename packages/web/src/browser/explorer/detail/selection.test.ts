import { expect } from 'chai';
import { selectionOf, withSelection } from './selection.ts';

describe('the selection in the URL of the explorer', () => {
  it('keeps the filters, and can be read again', () => {
    const query = withSelection('?city=recife&listing=old', { listing: 'a/b&c', compare: ['x', 'y'] });
    expect(query).to.equal('?city=recife&compare=x,y&listing=a%2Fb%26c');
    expect(selectionOf(query)).to.deep.equal({ listing: 'a/b&c', compare: ['x', 'y'] });
    expect(withSelection(query, { compare: [] })).to.equal('?city=recife');
    expect(withSelection('?listing=a', { compare: [] })).to.equal('');
  });

  it('has at most three listings in a comparison, and each of them once', () =>
    expect(selectionOf('?compare=a,,b,a,c,d').compare).to.deep.equal(['a', 'b', 'c']));
});

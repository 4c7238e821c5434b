import { expect } from 'chai';
import { compareDocuments, compareTexts, countDifferences, describeDifferences } from './compare.ts';

const expected = new Map<string, unknown>([
  ['a', { id: 'a', price: 1, location: { city: 'x', state: 'y' } }],
  ['b', { id: 'b', price: 2 }],
]);

describe('the comparison', () => {
  it('finds nothing in equal documents with another order of members', () => {
    const actual = new Map<string, unknown>([
      ['b', { price: 2, id: 'b' }],
      ['a', { location: { state: 'y', city: 'x' }, price: 1, id: 'a' }],
    ]);
    expect(countDifferences(compareDocuments(expected, actual))).to.equal(0);
  });

  it('finds a lost item, a resurrected item and an item with an old value', () => {
    const actual = new Map<string, unknown>([
      ['b', { id: 'b', price: 3 }],
      ['c', { id: 'c' }],
    ]);
    const differences = compareDocuments(expected, actual);
    expect(differences).to.deep.equal({ missing: ['a'], extra: ['c'], different: ['b'] });
    expect(describeDifferences(differences)).to.equal('1 missing (a), 1 extra (c), 1 different (b)');
  });

  it('finds a lost, an additional and a repeated dead letter', () => {
    expect(compareTexts(['x', 'y', 'y'], ['y', 'x', 'y'])).to.deep.equal({
      missing: [],
      extra: [],
      different: [],
    });
    expect(compareTexts(['x', 'y', 'y'], ['y', 'z', 'z'])).to.deep.equal({
      missing: ['x', 'y'],
      extra: ['z', 'z'],
      different: [],
    });
  });
});

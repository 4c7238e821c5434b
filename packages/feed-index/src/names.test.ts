import { expect } from 'chai';
import { generationNames, generationOfItems } from './names.ts';

describe('generation names', () => {
  it('all begin with the prefix', () => {
    expect(generationNames('p', 3)).to.deep.equal({
      number: 3,
      states: 'p-states-3',
      items: 'p-items-3',
      statesWriter: 'p-states-3-writer',
      itemsWriter: 'p-items-3-writer',
    });
  });

  it('can be derived from the name of an items index', () =>
    expect(generationOfItems('p', 'p-items-12')).to.deep.equal(generationNames('p', 12)));

  for (const foreign of [
    'p-items-',
    'p-items-0',
    'p-items-1-writer',
    'p-items-x',
    'q-items-1',
    'p-states-1',
    'p-items',
    'p-items-former',
  ])
    it(`${foreign} is not the name of an items index`, () =>
      expect(generationOfItems('p', foreign)).to.equal(undefined));
});

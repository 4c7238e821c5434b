import { expect } from 'chai';
import {
  changesEpochAlias,
  generationNames,
  generationOfItems,
  liveChangesNames,
  liveChangesOf,
} from './names.ts';

describe('generation names', () => {
  it('all begin with the prefix', () => {
    expect(generationNames('p', 3)).to.deep.equal({
      number: 3,
      states: 'p-states-3',
      items: 'p-items-3',
      changes: 'p-changes-3',
      statesWriter: 'p-states-3-writer',
      itemsWriter: 'p-items-3-writer',
      changesWriter: 'p-changes-3-writer',
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

describe('the live epoch', () => {
  const epoch7 = { name: changesEpochAlias('p', 7), indices: ['p-changes-12'] };

  it('is read together with its generation', () => {
    expect(liveChangesOf('p', [epoch7])).to.deep.equal({ epoch: 7, generation: 12 });
    // The client declares a single index as text.
    expect(liveChangesOf('p', [{ ...epoch7, indices: 'p-changes-12' }])).to.deep.equal({
      epoch: 7,
      generation: 12,
    });
  });

  it('is absent if the live generation has no changes index', () =>
    expect(liveChangesOf('p', [])).to.equal(undefined));

  it('of another deployment is ignored', () =>
    expect(
      liveChangesOf('p', [{ name: 'p-q-changes-epoch-7', indices: ['p-q-changes-12'] }, epoch7]),
    ).to.deep.equal({ epoch: 7, generation: 12 }));

  it('is absent if the readers see another generation, which has no changes index', () => {
    const items = (index: string) => ({ name: 'p-items', indices: [index] });
    expect(liveChangesNames('p')).to.deep.equal(['p-changes-epoch-*', 'p-items']);
    expect(liveChangesOf('p', [epoch7, items('p-items-12')])).to.deep.equal({ epoch: 7, generation: 12 });
    expect(liveChangesOf('p', [epoch7, items('p-items-1')])).to.equal(undefined);
    expect(liveChangesOf('p', [items('p-items-1')])).to.equal(undefined);
  });

  it('is the latest one', () =>
    expect(
      liveChangesOf('p', [epoch7, { name: 'p-changes-epoch-8', indices: ['p-changes-13'] }]),
    ).to.deep.equal({ epoch: 8, generation: 13 }));
});

import { EMPTY_STATE, type ListingState, RULES } from '@vitrine/listing';
import { expect } from 'chai';
import { documentRules, isWritable, versionsWith } from './generation-versions.ts';

const state: ListingState = {
  ...EMPTY_STATE,
  first_seen: 1,
  fields: {
    title: [1, 'Casa'],
    price: [1, 10],
    location: [1, { city: 'Curitiba' }],
    url: [1, 'https://vitrine.example/'],
  },
  dates: {
    '2026-12-01': [1, true, 10.004],
    '2026-12-02': [1, true, 10.001],
    '2026-12-03': [1, true, 10.005],
  },
};

describe('the versions of generations', () => {
  it('have the items mapping 4 and a changes index if this code builds them', () =>
    expect(versionsWith(RULES)).to.deep.equal({ states: 1, items: 4, changes: 2, rules: RULES.version }));

  it('that this code writes are those of its rules and states, with each of its items mappings', () => {
    const ours = versionsWith(RULES);
    expect([0, 1, 2, 3, 4, 5].filter((items) => isWritable({ ...ours, items }, RULES))).to.deep.equal([3, 4]);
    const { changes: _, ...withoutChanges } = ours;
    expect(isWritable(withoutChanges, RULES), 'of an earlier release').to.equal(true);
    expect(isWritable({ ...ours, changes: 1 }, RULES), 'of 1.1.0').to.equal(true);
    expect(isWritable({ ...ours, changes: 3 }, RULES)).to.equal(false);
    expect(isWritable({ ...ours, rules: RULES.version + 1 }, RULES)).to.equal(false);
    expect(isWritable({ ...ours, states: ours.states + 1 }, RULES)).to.equal(false);
  });

  it('decide the form of an item', () => {
    // Prices that are equal after rounding form one group.
    const [previous, current] = [3, 4].map(
      (items) => documentRules({ items }, RULES).derive('a', state).item,
    );
    for (const item of [previous, current])
      expect(item?.offers).to.deep.equal([
        { price: 10, date: ['2026-12-01', '2026-12-02'] },
        { price: 10.01, date: ['2026-12-03'] },
      ]);
    expect([previous?.lowest_night, current?.lowest_night]).to.deep.equal([undefined, 10]);
    expect(documentRules({ items: 3 }, RULES).derive('a', EMPTY_STATE)).to.deep.equal({ hidden: 'title' });
  });

  it('keep the reason that the rules state without an item', () =>
    expect(documentRules({ items: 3 }, RULES).hiddenReason?.(EMPTY_STATE)).to.equal('title'));
});

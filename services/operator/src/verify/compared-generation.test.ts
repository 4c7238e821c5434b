import { CURRENT_ITEMS, GenerationError, type GenerationRecord } from '@vitrine/feed-index';
import { type ListingState, RULES } from '@vitrine/listing';
import { documentRules, versionsWith } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { comparedGeneration } from './compared-generation.ts';
import { differenceOf } from './difference.ts';
import type { StoredListing } from './stored-listing.ts';

const state: ListingState = {
  removed: 0,
  replaced: 0,
  first_seen: 1,
  fields: {
    title: [1, 'Casa'],
    price: [1, 10],
    location: [1, { city: 'Curitiba' }],
    url: [1, 'https://vitrine.example/'],
  },
  dates: { '2026-12-01': [1, true, 11], '2026-12-02': [1, true, 12], '2026-12-03': [1, true, 11] },
};
const generation = (number: number, items: number): GenerationRecord => ({
  number,
  phase: 'ready',
  versions: { ...versionsWith(RULES), items },
  created_at: '2026-12-01T00:00:00Z',
  origin: { from: 'topic' },
});
const stored = (items: number): StoredListing => {
  const { item } = documentRules({ items }, RULES).derive('a', state);
  if (!item) throw new Error('the state is complete');
  return { state, revision: 1, item, itemRevision: 1 };
};

describe('the comparison of generations with different items mappings', () => {
  const [first, second] = [generation(1, 3), generation(2, CURRENT_ITEMS.version)];
  const difference = (live: StoredListing, fresh: StoredListing, [a, b] = [first, second]) =>
    differenceOf(
      'a',
      comparedGeneration(a as GenerationRecord, b as GenerationRecord, RULES).check('a', live),
      comparedGeneration(b as GenerationRecord, a as GenerationRecord, RULES).check('a', fresh),
      { live: (a as GenerationRecord).versions, fresh: (b as GenerationRecord).versions },
    );

  it('finds no difference between two forms of one item', () => {
    expect(difference(stored(3), stored(CURRENT_ITEMS.version))).to.equal(undefined);
    expect(difference(stored(CURRENT_ITEMS.version), stored(3), [second, first])).to.equal(undefined);
    expect(difference({}, {})).to.equal(undefined);
  });

  it('finds another price of a date, although the served content is equal', () => {
    const fresh = stored(CURRENT_ITEMS.version);
    const wrong = { ...fresh, item: { ...fresh.item, offers: [{ price: 11, date: ['2026-12-01'] }] } };
    expect(difference(stored(3), wrong as StoredListing)).to.deep.include({
      id: 'a',
      kind: 'content',
      members: ['offers'],
      explained: false,
    });
  });

  it('compares documents of one mapping completely', () => {
    const fresh = stored(CURRENT_ITEMS.version);
    const wrong = { ...fresh, item: { ...fresh.item, lowest_night: 9 } };
    expect(difference(stored(3), wrong as StoredListing)).to.equal(undefined);
    expect(
      difference(stored(CURRENT_ITEMS.version), wrong as StoredListing, [
        second,
        generation(3, CURRENT_ITEMS.version),
      ]),
    ).to.deep.include({
      members: ['lowest_night'],
    });
  });

  it('is refused if this code does not have a mapping', () =>
    expect(() => comparedGeneration(generation(4, 5), first, RULES)).to.throw(
      GenerationError,
      'generation 4 was built with states mapping 1, items mapping 5',
    ));
});

import { ITEM_MAPPING_VERSION } from '@vitrine/feed-index';
import { EMPTY_STATE, fold, highestVersion, rulesWith } from '@vitrine/listing';
import { FIELD_NAMES, type FieldChanges } from '@vitrine/listing-events';
import { documentRules } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { compareLine } from './comparison.ts';
import { isEqual } from './find-candidates.ts';
import { fingerprintsOf } from './held-listings.ts';
import { viewOf } from './listing-view.ts';
import { fromRecord } from './source/source-line.ts';

const rules = rulesWith(
  {
    name: 'shop',
    version: 1,
    reasons: { image: 'no image' },
    hide: ({ images }) => (images ? undefined : 'image'),
    text: { title: (title) => title.replace('URGENTE ', '') },
  },
  'abc',
);
const comparing = { rules, today: '2026-12-01' };
const FIELDS: FieldChanges = {
  title: 'URGENTE Casa',
  price: 100,
  location: { city: 'Natal' },
  images: ['https://img.example/1.jpg'],
  url: 'https://vitrine.example/a',
};

describe('the comparison of a line with a feed that a rules module built', () => {
  /** Compares with the feed that has these fields, in both comparisons. */
  const compare = (members: object, held: FieldChanges = FIELDS) => {
    const state = fold(EMPTY_STATE, [{ kind: 'changed', id: 'a', version: 5, time: 0, fields: held }]);
    const { item, hidden = null } = documentRules({ items: ITEM_MAPPING_VERSION }, rules).derive('a', state);
    const line = fromRecord(1, { id: 'a', ...members });
    const result = compareLine(line, { state, revision: 1, ...(item && { item }) }, comparing);
    const isFirstEqual = isEqual(
      line,
      {
        id: 'a',
        state: { highest: highestVersion(state) ?? null, hidden },
        ...(item && { item: fingerprintsOf(viewOf(item, comparing.today)) }),
      },
      comparing,
    );
    expect(isFirstEqual, 'the comparison of fingerprints').to.equal(result.kind === 'equal');
    return result;
  };

  it('passes the texts of the source through the rules of the module', () => {
    expect(compare(FIELDS)).to.deep.equal({ kind: 'equal' });
    expect(compare({ title: 'Casa' })).to.deep.equal({ kind: 'equal' });
  });

  it('finds a difference in a line that lacks what the module needs', () => {
    expect(compare({ title: 'Chalé' })).to.deep.equal({
      kind: 'different',
      members: { title: { source: 'Chalé', feed: 'Casa' } },
    });
    expect(compare({ price: 100 })).to.deep.equal({ kind: 'equal' });
  });

  it('finds a listing that the source hides, and accepts one that both hide', () => {
    const withoutImage = { ...FIELDS, images: null };
    expect(compare(withoutImage)).to.have.nested.property('members.images');
    const whole = { ...Object.fromEntries(FIELD_NAMES.map((name) => [name, null])), ...withoutImage };
    expect(compare(whole, withoutImage)).to.deep.equal({ kind: 'equal' });
    // The database may have the image that an event has cleared.
    const { images: _, ...withoutName } = whole;
    expect(compare(withoutName, withoutImage)).to.deep.equal({ kind: 'missing', why: 'hidden:image' });
    expect(compare(FIELDS, withoutImage)).to.deep.equal({ kind: 'missing', why: 'hidden:image' });
    expect(compare({}, withoutImage)).to.deep.equal({ kind: 'missing', why: 'hidden:image' });
  });
});

import { ITEM_MAPPING_VERSION } from '@vitrine/feed-index';
import { EMPTY_STATE, fold, highestVersion, type ListingState, RULES } from '@vitrine/listing';
import type { FieldChanges } from '@vitrine/listing-events';
import { documentRules } from '@vitrine/projection/generations';
import { expect } from 'chai';
import fc from 'fast-check';
import type { StoredListing } from '../verify/stored-listing.ts';
import { compareLine } from './comparison.ts';
import { isEqual } from './find-candidates.ts';
import { fingerprintsOf, type HeldListing } from './held-listings.ts';
import { viewOf } from './listing-view.ts';
import { fromRecord } from './source/source-line.ts';

const TODAY = '2026-12-01';
const COMPARING = { rules: RULES, today: TODAY };
const DOCUMENTS = documentRules({ items: ITEM_MAPPING_VERSION }, RULES);

const FIELDS: FieldChanges = {
  ad_type: 'rent',
  title: 'Casa  da Praia',
  category: 'Casa de Praia',
  price: 99.999,
  location: { city: 'São Paulo', state: 'SP', lat: -23.5, lng: -46.6 },
  provider: { name: 'Ana Maria' },
  rating: 7,
  images: ['https://img.example/1.jpg', 'javascript:x'],
  url: 'https://vitrine.example/a',
};
const stateOf = (fields: FieldChanges, version = 5, dates: ListingState['dates'] = {}): ListingState =>
  fold({ ...EMPTY_STATE, dates }, [{ kind: 'changed', id: 'a', version, time: 0, fields }]);
function storedOf(state: ListingState): StoredListing {
  const { item } = DOCUMENTS.derive('a', state);
  return { state, revision: 1, ...(item && { item }) };
}
const heldOf = ({ state, item }: StoredListing): HeldListing => ({
  id: 'a',
  ...(state && {
    state: { highest: highestVersion(state) ?? null, hidden: DOCUMENTS.derive('a', state).hidden ?? null },
  }),
  ...(item && { item: fingerprintsOf(viewOf(item, TODAY)) }),
});
const compare = (members: object, stored: StoredListing = storedOf(stateOf(FIELDS))) => {
  const line = fromRecord(1, { id: 'a', ...members });
  const result = compareLine(line, stored, COMPARING);
  if (isEqual(line, heldOf(stored), COMPARING)) expect(result).to.deep.equal({ kind: 'equal' });
  return result;
};
const EQUAL = { kind: 'equal' };

describe('the comparison of a line with the feed', () => {
  it('passes the values of the source through the rules', () => {
    expect(compare(FIELDS)).to.deep.equal(EQUAL);
    expect(
      compare({ title: ' Casa da Praia ', price: 100, category: 'casa-de-praia', rating: null }),
    ).to.deep.equal(EQUAL);
    expect(compare({})).to.deep.equal(EQUAL);
  });

  it("shows the source's own value beside the value in the feed", () => {
    expect(compare({ title: 'Casa', 'location.city': 'Natal', price: 10.004 })).to.deep.equal({
      kind: 'different',
      members: {
        title: { source: 'Casa', feed: 'Casa da Praia' },
        'location.city': { source: 'Natal', feed: 'São Paulo' },
        price: { source: 10.004, feed: 100 },
      },
    });
    expect(compare({ location: { city: 'São Paulo' } })).to.deep.equal({
      kind: 'different',
      members: {
        location: {
          source: { city: 'São Paulo' },
          feed: { city: 'São Paulo', state: 'SP', point: { lat: -23.5, lon: -46.6 } },
        },
      },
    });
  });

  it('names a value that the rules hide or refuse, if the feed shows the listing', () => {
    expect(compare({ price: 0, title: 'Casa da Praia' })).to.deep.equal({
      kind: 'different',
      members: { price: { source: 0, feed: 100 } },
    });
    expect(compare({ price: -1, title: 'Casa da Praia' })).to.deep.equal({
      kind: 'different',
      members: { price: { source: -1, feed: 100 } },
    });
    expect(compare({ 'location.city': ' ' })).to.deep.equal({
      kind: 'different',
      members: { 'location.city': { source: ' ', feed: 'São Paulo' } },
    });
  });

  it('is equal if the value of the source hides the listing for the reason of the feed', () => {
    const hidden = storedOf(stateOf({ ...FIELDS, price: 0 }));
    expect(compare({ price: null }, hidden)).to.deep.equal(EQUAL);
    expect(compare({ price: null, version: 5 }, hidden)).to.deep.equal(EQUAL);
    expect(compare({ price: null, version: 6 }, hidden)).to.deep.equal({
      kind: 'different',
      members: { version: { source: 6, feed: 5 } },
    });
    for (const members of [{}, { price: 5 }, { title: '' }])
      expect(compare(members, hidden)).to.deep.equal({ kind: 'missing', why: 'hidden:price' });
  });

  it('says why a listing is missing', () => {
    const missing = (stored: StoredListing) => compare({ title: 'x' }, stored);
    expect(missing({})).to.deep.equal({ kind: 'missing', why: 'unseen' });
    expect(missing({ state: EMPTY_STATE })).to.deep.equal({ kind: 'missing', why: 'unseen' });
    expect(missing({ state: { ...EMPTY_STATE, removed: 3 } })).to.deep.equal({
      kind: 'missing',
      why: 'removed',
    });
    expect(missing({ state: stateOf(FIELDS) })).to.deep.equal({ kind: 'missing', why: 'hidden:failed' });
  });

  it('compares a version with the highest version of the listing', () => {
    const different = (version: object, epoch?: object) => ({
      kind: 'different',
      members: { version, ...(epoch && { version_epoch: epoch }) },
    });
    expect(compare({ version: 5 })).to.deep.equal(EQUAL);
    expect(compare({ version: 6 })).to.deep.equal(different({ source: 6, feed: 5 }));
    const removedBefore = storedOf({ ...stateOf(FIELDS, 5), dates: { '2026-12-01': [7, true] } });
    expect(compare({ version: 7 }, removedBefore)).to.deep.equal(EQUAL);
    const later = storedOf({ ...stateOf(FIELDS), fields: { ...stateOf(FIELDS).fields, price: [[2, 1], 1] } });
    expect(compare({ version: 1, version_epoch: 2 }, later)).to.deep.equal(EQUAL);
    expect(compare({ version: 9 }, later)).to.deep.equal(
      different({ source: 9, feed: 1 }, { source: 0, feed: 2 }),
    );
  });

  it('compares the calendar from today on, with the price of the item as default', () => {
    const stored = storedOf(
      stateOf(FIELDS, 5, { '2026-11-30': [1, true], '2026-12-01': [1, true, 120], '2026-12-02': [1, false] }),
    );
    const dates = (price: number | null) => [
      { date: '2026-12-01', available: true, price },
      { date: '2026-12-02', available: false, price: null },
    ];
    expect(compare({ availability: dates(120) }, stored)).to.deep.equal(EQUAL);
    expect(compare({ ...FIELDS, availability: dates(120) }, stored)).to.deep.equal(EQUAL);
    expect(compare({ availability: dates(null) }, stored)).to.have.nested.property('members.availability');
    expect(compare({ availability: dates(120).slice(1) }, stored)).to.have.property('kind', 'different');
  });

  it('treats an unavailable date as an absent one, because a source may delete the row of a date', () => {
    const deleted = storedOf(stateOf(FIELDS, 5, { '2026-12-01': [1, false] }));
    expect(compare({ availability: [] }, deleted)).to.deep.equal(EQUAL);
    expect(compare({ availability: null }, deleted)).to.deep.equal(EQUAL);
    const unavailable = [{ date: '2026-12-02', available: false, price: null }];
    expect(compare({ availability: unavailable }, storedOf(stateOf(FIELDS)))).to.deep.equal(EQUAL);
    const priced = storedOf(stateOf(FIELDS, 5, { '2026-12-01': [1, false, 120] }));
    expect(compare({ availability: [] }, priced)).to.have.property('kind', 'different');
  });

  it('never skips a listing that differs: the fingerprints agree with the documents', () => {
    const fields = fc.record(
      {
        title: fc.constantFrom(null, '', 'Casa', ' Casa ', 'x'.repeat(70), `${'x'.repeat(70)} `),
        price: fc.constantFrom(null, 0, 10, 10.001, 11),
        location: fc.constantFrom(
          null,
          {},
          { city: 'A' },
          { city: 'A', lat: 1, lng: 2 },
          { city: 'A', lat: 1 },
        ),
        provider: fc.constantFrom(null, { name: 'B' }, { name: 'B', slug: 'c' }, { slug: 'c' }),
        url: fc.constantFrom(null, 'x', 'https://a.example'),
        rating: fc.constantFrom(null, 6, 4),
        published_at: fc.constantFrom(null, '2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, fields, fc.constantFrom(undefined, 5, 6), (held, members, version) => {
        const stored = storedOf(stateOf(held as FieldChanges));
        const line = fromRecord(1, { id: 'a', ...members, ...(version && { version }) });
        expect(isEqual(line, heldOf(stored), COMPARING)).to.equal(
          compareLine(line, stored, COMPARING).kind === 'equal',
        );
      }),
      { numRuns: 500 },
    );
  });
});

import type { ItemDocument } from '@vitrine/feed-index';
import { type ListingState, RULES, type Rules } from '@vitrine/listing';
import { documentRules } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { differenceOf } from './difference.ts';
import { checkListing, type StoredListing } from './stored-listing.ts';

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
  dates: {},
};
const OURS = documentRules({ items: 3 }, RULES);
const { item } = OURS.derive('a', state);
if (!item) throw new Error('the state is complete');
const whole: StoredListing = { state, revision: 1, item, itemRevision: 1 };
const compare = (live: StoredListing, fresh: StoredListing, rules: Rules<ItemDocument> = OURS) =>
  differenceOf('a', checkListing('a', live, rules), checkListing('a', fresh, rules));
const retitled = { ...item, feed_item: { ...item.feed_item, title: 'Casarão' } };

describe('the difference between two generations for one listing', () => {
  it('is undefined if the items are equal except for revisions and the order of members', () => {
    const reordered = Object.fromEntries(Object.entries(item).reverse()) as unknown as typeof item;
    expect(compare(whole, { ...whole, revision: 7, itemRevision: 9, item: reordered })).to.equal(undefined);
    expect(compare({ state, revision: 1 }, { state, revision: 1 })).to.equal(undefined);
    expect(compare({}, {})).to.equal(undefined);
  });

  it('is unexplained if the new item does not match its state', () => {
    expect(compare(whole, { ...whole, item: retitled })).to.deep.equal({
      id: 'a',
      kind: 'content',
      members: ['feed_item.title'],
      values: { 'feed_item.title': { live: 'Casa', new: 'Casarão' } },
      explained: false,
    });
    expect(compare(whole, { state })).to.deep.equal({ id: 'a', kind: 'only-live', explained: false });
    expect(compare({}, { item })).to.deep.equal({
      id: 'a',
      kind: 'only-new',
      hidden: 'removed',
      explained: false,
    });
  });

  it('does not depend on notes, or on a time that 1.1.0 did not write', () => {
    const ignored = [
      { source: '/s', kind: 'changed' as const, version: 1, time: 1, member: 'price', held: 2 },
    ];
    const fresh = { ...whole, state: { ...state, last_time: 1, ignored }, item: retitled };
    const shouting: Rules<ItemDocument> = { version: 2, derive: () => ({ item: retitled }) };
    expect(compare(whole, fresh, shouting)).to.deep.include({ explained: true });
    expect(compare(whole, { ...fresh, item })).to.equal(undefined);
  });

  it('is unexplained if the states hold different facts', () => {
    const dearer: ListingState = { ...state, fields: { ...state.fields, price: [2, 20] } };
    const fresh = { state: dearer, item: OURS.derive('a', dearer).item as typeof item };
    expect(compare(whole, fresh)).to.deep.include({
      members: ['feed_item.price', 'price'],
      explained: false,
    });
  });

  it("is explained if the states are equal and this version's rules derive the new item", () => {
    const hiding: Rules<ItemDocument> = { version: 2, derive: () => ({ hidden: 'price' }) };
    expect(compare(whole, { state }, hiding)).to.deep.equal({
      id: 'a',
      kind: 'only-live',
      hidden: 'price',
      explained: true,
    });
    const shouting: Rules<ItemDocument> = { version: 2, derive: () => ({ item: retitled }) };
    expect(compare(whole, { state, item: retitled }, shouting)).to.deep.include({
      members: ['feed_item.title'],
      explained: true,
    });
    expect(compare(whole, { state, item: retitled }, hiding)).to.deep.include({ explained: false });
  });
});

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
const VERSIONS = { states: 1, items: 3, changes: 2, rules: 2 };
const compare = (
  live: StoredListing,
  fresh: StoredListing,
  rules: Rules<ItemDocument> = OURS,
  { rulesBefore = 2, isChanging = false } = {},
) =>
  differenceOf(
    'a',
    checkListing('a', live, rules),
    checkListing('a', fresh, rules),
    { live: { ...VERSIONS, rules: rulesBefore }, fresh: VERSIONS },
    isChanging,
  );
const code = (difference: ReturnType<typeof compare>) => difference?.reason.code;
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
      reason: { code: 'new-item-differs' },
    });
    expect(compare(whole, { state })).to.deep.equal({
      id: 'a',
      kind: 'only-live',
      explained: false,
      reason: { code: 'new-item-differs' },
    });
    expect(compare({}, { item })).to.deep.equal({
      id: 'a',
      kind: 'only-new',
      hidden: 'removed',
      explained: false,
      reason: { code: 'new-item-differs' },
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
      reason: { code: 'live-item-differs' },
    });
    const shouting: Rules<ItemDocument> = { version: 2, derive: () => ({ item: retitled }) };
    expect(compare(whole, { state, item: retitled }, shouting)).to.deep.include({
      members: ['feed_item.title'],
      explained: true,
    });
    expect(compare(whole, { state, item: retitled }, hiding)).to.deep.include({ explained: false });
  });

  it('has the reason: the live item was edited or lost, the rules changed, or an event is on its way', () => {
    const edited = { ...whole, item: retitled };
    expect(compare(edited, whole)).to.deep.include({
      explained: true,
      reason: { code: 'live-item-differs' },
    });
    expect(code(compare({ state }, whole))).to.equal('live-item-differs');
    expect(compare(edited, whole, OURS, { rulesBefore: 1 })).to.deep.include({
      members: ['feed_item.title'],
      reason: { code: 'rules-changed', before: 1, rules: 2 },
    });
    const dearer: ListingState = { ...state, fields: { ...state.fields, price: [2, 20] } };
    const later = { state: dearer, item: OURS.derive('a', dearer).item as typeof item };
    expect(code(compare(whole, later))).to.equal('other-facts');
    expect(code(compare(whole, later, OURS, { isChanging: true }))).to.equal('changing');
    expect(code(compare({ state: { ...state, removed: 9 } }, {}))).to.equal('missing-facts');
    const failing: Rules<ItemDocument> = {
      version: 2,
      derive: () => {
        throw new Error('a fault');
      },
    };
    expect(code(compare(whole, edited, failing))).to.equal('rules-failed');
  });
});

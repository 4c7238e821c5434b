import type { ItemDocument } from '@vitrine/feed-index';
import { EMPTY_STATE, fold, RULES, type Rules } from '@vitrine/listing';
import type { ListingEvent } from '@vitrine/listing-events';
import { expect } from 'chai';
import { foldListing } from './fold-listings.ts';
import { documentRules, versionsWith } from './generations/generation-versions.ts';

const rules: Rules<ItemDocument> = documentRules(versionsWith(RULES), RULES);
const options = { rules, writesItems: true, writesEntries: true, now: () => 0 };
const at = { seqNo: 3, primaryTerm: 1 };
const event = (version: number, fields: object): ListingEvent =>
  ({ kind: 'changed', id: 'a', version, time: 0, fields }) as ListingEvent;
const created = event(1, {
  title: 'Casa',
  price: 1,
  location: { city: 'Recife' },
  url: 'https://a.example/',
});
const visible = { state: fold(EMPTY_STATE, [created]), at };
const hidden = { state: fold(EMPTY_STATE, [event(1, { title: 'Casa' })]), at };

describe('a folded listing', () => {
  it('has the same item after a repetition, and after an event with the same content', () => {
    for (const events of [[created], [event(2, { price: 1 })]])
      expect(foldListing(options, 'a', visible, events)).to.include({ isSame: true, wasVisible: true });
  });

  it('has another item after a change', () =>
    expect(foldListing(options, 'a', visible, [event(2, { price: 2 })])).to.include({
      isSame: false,
      wasVisible: true,
    }));

  it('counts as changed in a repair, and if it has no state yet', () => {
    expect(foldListing(options, 'a', visible, [])).to.include({ isSame: false, mayHaveEntry: true });
    expect(foldListing(options, 'a', { state: EMPTY_STATE }, [created])).to.include({
      isSame: false,
      wasVisible: false,
      mayHaveEntry: false,
    });
  });

  it('may have an entry if it is hidden', () => {
    const gone = event(2, { title: '' });
    expect(foldListing(options, 'a', visible, [gone])).to.include({ hidden: 'title', wasVisible: true });
    const still = foldListing(options, 'a', hidden, [event(2, { price: 1 })]);
    expect(still).to.include({ wasVisible: false, mayHaveEntry: true });
    expect(foldListing(options, 'a', { state: EMPTY_STATE }, [gone])).to.include({ mayHaveEntry: false });
  });

  it('counts as changed if the rules fail for the stored state only', () => {
    const failing: Rules<ItemDocument> = {
      ...rules,
      derive: (id, state) => {
        if (state.fields.price?.[1] === 1) throw new Error('this price');
        return rules.derive(id, state);
      },
    };
    const folded = foldListing({ ...options, rules: failing }, 'a', visible, [event(2, { price: 2 })]);
    expect(folded).to.include({ isSame: false, wasVisible: false });
    expect(folded.item).to.include('"price":2');
  });

  it('has no item if only states are written', () => {
    const folded = foldListing({ ...options, writesItems: false }, 'a', visible, [created]);
    expect(folded).to.not.have.property('item');
    expect(folded.json).to.equal(JSON.stringify({ state: visible.state }));
  });
});

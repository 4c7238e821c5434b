import type { ItemDocument } from '@vitrine/feed-index';
import { EMPTY_STATE, fold, RULES, type Rules } from '@vitrine/listing';
import type { ListingEvent } from '@vitrine/listing-events';
import { expect } from 'chai';
import { foldListing } from './fold-listings.ts';
import { documentRules, versionsWith } from './generations/generation-versions.ts';
import { STATE_MAPPING_VERSION, type StateDocument } from './store/state-store.ts';

const rules: Rules<ItemDocument> = documentRules(versionsWith(RULES), RULES);
const options = { rules, writesItems: true, writesEntries: true, notesChanges: () => true, now: () => 0 };
const at = { seqNo: 3, primaryTerm: 1, revision: 1 };
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

  it('notes a removal that an earlier release or a rebuild did not note, but no removal of a draft', () => {
    const gone = { kind: 'removed', id: 'a', version: 2 } as const;
    const before = { state: fold(EMPTY_STATE, [gone]), at };
    const notes = (state: typeof before) =>
      JSON.parse(foldListing({ ...options, now: () => 9 }, 'a', state, [gone]).json).state.changes;
    expect(notes(before)).to.deep.equal({ times: { removed: 9 } });
    expect(
      notes({ ...before, state: { ...before.state, changes: { times: { removed: 4 } } } } as never),
    ).to.deep.equal({ times: { removed: 4 } });
    const draft = foldListing(options, 'a', hidden, [event(2, { price: 1 })]);
    expect(JSON.parse(draft.json).state).not.to.have.property('changes');
  });

  it('counts as changed if the rules fail only for the stored state', () => {
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

  it('continues a document of 1.1.0 and keeps its notes, without a new mapping version', () => {
    const { state } = JSON.parse(
      '{"state":{"removed":0,"replaced":3,"first_seen":5,"fields":{"title":[4,"Casa"]},"dates":{"2026-01-01":0}}}',
    ) as StateDocument;
    const folded = (events: ListingEvent[]) =>
      foldListing({ ...options, now: () => 9 }, 'a', { state, at }, events);
    expect(folded([]).json).to.equal(JSON.stringify({ hidden: 'price', state }));
    const next = folded([event(5, { price: 1 })]);
    expect(JSON.parse(next.json)).to.deep.equal({
      hidden: 'location',
      state: { ...state, first_seen: 0, last_time: 9, fields: { ...state.fields, price: [5, 1] } },
    });
    expect(STATE_MAPPING_VERSION).to.equal(1);
    const late = { ...event(2, { title: 'Sala' }), time: 10, source: '/s' };
    const noted = foldListing(options, 'a', { state: (JSON.parse(next.json) as StateDocument).state, at }, [
      late,
    ]);
    expect(noted.superseded).to.deep.equal([late]);
    const repaired = foldListing(options, 'a', JSON.parse(noted.json), []);
    expect(repaired.json).to.equal(noted.json);
  });

  it('has no item if only states are written', () => {
    const folded = foldListing({ ...options, writesItems: false }, 'a', visible, [created]);
    expect(folded).to.not.have.property('item');
    expect(folded.json).to.equal(JSON.stringify({ state: visible.state }));
  });
});

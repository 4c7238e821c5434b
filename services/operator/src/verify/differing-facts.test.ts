import { EMPTY_STATE, type ListingState } from '@vitrine/listing';
import { expect } from 'chai';
import { differingFacts, lostHiding } from './differing-facts.ts';

const state = (members: Partial<ListingState>): ListingState => ({ ...EMPTY_STATE, ...members });

describe('facts that only the live generation holds', () => {
  it('include a removal, even if the listing has no state in the new generation', () => {
    expect(lostHiding(state({ removed: 5 }), state({ removed: 4 }))).to.deep.equal(['removed']);
    expect(lostHiding(state({ removed: 5 }), undefined)).to.deep.equal(['removed']);
    expect(lostHiding(state({ removed: 5 }), state({ removed: 5 }))).to.deep.equal([]);
    expect(lostHiding(state({ removed: 5 }), state({ removed: 6 }))).to.deep.equal([]);
    expect(lostHiding(state({ removed: 5 }), state({ removed: [1, 1] }))).to.deep.equal([]);
    expect(lostHiding(state({ removed: [1, 1] }), state({ removed: 5 }))).to.deep.equal(['removed']);
  });

  it('include a replacement of the calendar, unless a removal hides the same dates', () => {
    expect(lostHiding(state({ replaced: 5 }), state({ replaced: 4 }))).to.deep.equal(['replaced']);
    expect(lostHiding(state({ removed: 5, replaced: 5 }), state({ removed: 5 }))).to.deep.equal([]);
    expect(lostHiding(state({ replaced: [1, 1] }), state({ removed: 5 }))).to.deep.equal(['replaced']);
  });

  it('include all facts of a listing that both generations hide', () => {
    const live = state({ fields: { title: [3, 'Casa'] }, dates: { '2026-12-01': [3, true] } });
    expect(differingFacts(live, undefined, false)).to.deep.equal(['fields', 'dates']);
    expect(
      differingFacts(live, state({ fields: { title: [2, 'Casa'] }, dates: live.dates }), false),
    ).to.deep.equal(['fields']);
    expect(differingFacts(live, { ...live }, false)).to.deep.equal([]);
    expect(differingFacts(live, undefined, true)).to.deep.equal([]);
    expect(differingFacts(undefined, live, false)).to.deep.equal([]);
  });

  it('do not include the empty state that a repair leaves', () =>
    expect(differingFacts(EMPTY_STATE, undefined, false)).to.deep.equal([]));
});

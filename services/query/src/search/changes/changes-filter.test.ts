import type { ChangeEntry } from '@vitrine/feed-index';
import { expect } from 'chai';
import { entryClauses, entrySearch, needsDetails, noteOf } from './changes-filter.ts';

const entry = (times: ChangeEntry['times'], more: Partial<ChangeEntry> = {}): ChangeEntry => ({
  state: 'updated',
  at: 50,
  ...(times && { times }),
  ...more,
});

describe('what an entry shows', () => {
  it('is the last change, with the previous price after a change of the price', () => {
    const both = entry({ new: 1, price: 3, other: 4 }, { previous_price: 90 });
    expect(noteOf(both, 'updated')).to.deep.equal({ kind: 'other', at: 4 });
    expect(noteOf(entry({ new: 1, price: 3 }, { previous_price: 90 }), 'updated')).to.deep.equal({
      kind: 'price',
      at: 3,
      previousPrice: 90,
    });
    expect(noteOf(entry({ price: 3, other: 3 }), 'updated')).to.include({ kind: 'price' });
  });

  it('is relative to the feed at `since`: new listings first, and the old price beside a later change', () => {
    const both = entry({ new: 1, price: 3, other: 4 }, { previous_price: 90 });
    expect(noteOf(both, 'updated', { since: 1 })).to.deep.equal({ kind: 'new', at: 1 });
    expect(noteOf(both, 'updated', { since: 2 })).to.deep.equal({ kind: 'other', at: 4, previousPrice: 90 });
    expect(noteOf(both, 'updated', { since: 4 })).to.deep.equal({ kind: 'other', at: 4 });
  });

  it('is the requested kind', () => {
    const both = entry({ new: 1, price: 3, other: 4 }, { previous_price: 90 });
    expect(noteOf(both, 'updated', { kind: 'price' })).to.deep.equal({
      kind: 'price',
      at: 3,
      previousPrice: 90,
    });
    expect(noteOf(both, 'updated', { kind: 'new', since: 0 })).to.deep.equal({ kind: 'new', at: 1 });
  });

  it('is a removal exactly if the listing is not in the feed now', () => {
    const gone = entry({ removed: 9 }, { state: 'deleted' });
    expect(noteOf(gone, 'deleted')).to.deep.equal({ kind: 'removed', at: 9 });
    expect(noteOf(gone, 'updated')).to.deep.equal({ at: 9 });
    expect(noteOf(entry({ price: 3 }), 'deleted')).to.deep.equal({ kind: 'removed', at: 3 });
  });

  it('has only the time of the write in an entry of 1.1.0', () => {
    expect(noteOf(entry(undefined), 'updated')).to.deep.equal({ at: 50 });
    expect(noteOf(entry(undefined, { state: 'deleted' }), 'deleted')).to.deep.equal({
      kind: 'removed',
      at: 50,
    });
  });
});

describe('a filter of changes', () => {
  it('needs the details of entries for kinds and places, but not for a time or removals', () => {
    for (const filter of [{}, { since: 1 }, { kind: 'removed' as const, since: 1 }])
      expect(needsDetails(filter)).to.equal(false);
    for (const filter of [{ kind: 'new' as const }, { city: ['a'] }, { category: ['a'] }])
      expect(needsDetails(filter)).to.equal(true);
  });

  it('has no clauses without members', () => expect(entryClauses({})).to.deep.equal([]));

  it('limits only the hits to a kind if the search counts every kind', () => {
    const range = { range: { _seq_no: { gt: 1 } } };
    const search = (filter: Parameters<typeof entrySearch>[1]) => entrySearch(range, filter);
    expect(search({ kind: 'new', since: 1 }).query).to.deep.equal(search({ since: 1 }).query);
    expect(search({ kind: 'new', since: 1 })).to.have.property('post_filter');
    for (const filter of [{ kind: 'new' as const }, { since: 1 }, {}])
      expect(search(filter)).not.to.have.property('post_filter');
  });
});

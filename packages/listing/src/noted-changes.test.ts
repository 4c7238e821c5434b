import type { ChangeDetails, Item } from '@vitrine/feed-index';
import { expect } from 'chai';
import fc from 'fast-check';
import { deriveItem } from './derive-item.ts';
import { type ChangingItem, kindsOfChange, noteChange } from './noted-changes.ts';

interface Told {
  title?: string;
  price?: number;
  city?: string;
  state?: string;
  dates?: Record<string, readonly [1, boolean, number?]>;
}

const itemOf = ({
  title = 'Casa',
  price = 100,
  city = 'Bonito',
  state = 'MS',
  dates = {},
}: Told = {}): Item =>
  deriveItem('a', {
    removed: 0,
    replaced: 0,
    first_seen: 0,
    fields: {
      title: [1, title],
      price: [1, price],
      location: [1, { city, state }],
      url: [1, 'https://a.example/'],
      category: [1, 'Casa'],
    },
    dates: { '2026-12-01': [1, true], '2026-12-02': [1, true, 150], ...dates },
  }).item as Item;
const kinds = (before: Told, after: Told) => kindsOfChange(itemOf(before), itemOf(after));

describe('the kinds of a change', () => {
  it('are price, availability and other, in any combination', () => {
    const taken = { '2026-12-01': [1, false] as const };
    expect(kinds({}, {})).to.deep.equal([]);
    expect(kinds({}, { price: 90 })).to.deep.equal(['price']);
    expect(kinds({}, { dates: taken })).to.deep.equal(['availability']);
    expect(kinds({}, { dates: { '2026-12-03': [1, true] } })).to.deep.equal(['availability']);
    expect(kinds({}, { title: 'Sala' })).to.deep.equal(['other']);
    expect(kinds({}, { city: 'Natal' })).to.deep.equal(['other']);
    expect(kinds({}, { price: 90, dates: taken, title: 'Sala' })).to.deep.equal([
      'price',
      'availability',
      'other',
    ]);
  });

  it('contain availability if a date gets another price of its own, but not if it follows the listing', () => {
    expect(kinds({}, { dates: { '2026-12-02': [1, true, 140] } })).to.deep.equal(['availability']);
    expect(kinds({}, { price: 90, dates: { '2026-12-02': [1, true, 140] } })).to.deep.equal([
      'price',
      'availability',
    ]);
  });

  it('is other in a note if only a label differs, because a late write of the former label must not win', () => {
    const [before, after] = ['Casa', 'CASA'].map((category) => ({ ...itemOf(), labels: { category } }));
    expect(kindsOfChange(before as Item, after as Item)).to.deep.equal([]);
    expect(noteChange(undefined, before as Item, after as Item, 7)).to.deep.equal({ times: { other: 7 } });
    expect(noteChange(undefined, before as Item, before as Item, 7)).to.equal(undefined);
  });

  it('exist exactly if the items differ, for random pairs', () => {
    const told: fc.Arbitrary<Told> = fc.record({
      title: fc.constantFrom('Casa', 'Sala'),
      price: fc.constantFrom(100, 100.001, 90),
      state: fc.constantFrom('MS', 'PE'),
      dates: fc.dictionary(
        fc.constantFrom('2026-12-01', '2026-12-02', '2026-12-03'),
        fc.oneof(
          fc.boolean().map((free): readonly [1, boolean] => [1, free]),
          fc.constantFrom(90, 100, 150).map((price): readonly [1, boolean, number] => [1, true, price]),
        ),
      ),
    });
    fc.assert(
      fc.property(told, told, (a, b) => {
        const [before, after] = [itemOf(a), itemOf(b)];
        const found = kindsOfChange(before, after);
        const isEqual = JSON.stringify(before) === JSON.stringify(after);
        expect(found.length === 0).to.equal(isEqual);
        expect(found.includes('price')).to.equal(before.feed_item.price !== after.feed_item.price);
      }),
    );
  });
});

describe('the note of a change', () => {
  const note = (noted: ChangeDetails | undefined, before?: ChangingItem, after?: ChangingItem) =>
    noteChange(noted, before, after, 7);

  it('begins each time the listing enters the feed', () => {
    expect(note(undefined, undefined, itemOf())).to.deep.equal({ times: { new: 7 } });
    const gone = { times: { removed: 5 }, city: ['bonito'] };
    expect(note(gone, undefined, itemOf())).to.deep.equal({ times: { new: 7 } });
  });

  it('keeps the time of each kind, and the price before its last change', () => {
    const first = note({ times: { new: 1, other: 3 } }, itemOf(), itemOf({ price: 90 }));
    expect(first).to.deep.equal({ times: { new: 1, other: 3, price: 7 }, previous_price: 100 });
    const second = noteChange(first, itemOf({ price: 90 }), itemOf({ price: 90, title: 'Sala' }), 9);
    expect(second).to.deep.equal({ times: { new: 1, price: 7, other: 9 }, previous_price: 100 });
  });

  it('keeps the place of a listing that leaves the feed', () =>
    expect(note({ times: { new: 1 } }, itemOf(), undefined)).to.deep.equal({
      times: { removed: 7 },
      city: ['bonito', 'bonito-ms'],
      category: 'casa',
    }));

  it('stays the same without a difference, so a redelivery keeps it', () => {
    const noted = { times: { price: 3 }, previous_price: 1 };
    expect(note(noted, itemOf(), itemOf())).to.equal(noted);
    expect(note(noted, undefined, undefined)).to.equal(noted);
    expect(note(undefined, itemOf(), itemOf())).to.equal(undefined);
  });
});

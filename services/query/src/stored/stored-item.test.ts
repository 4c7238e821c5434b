import type { Item } from '@vitrine/feed-index';
import { expect } from 'chai';
import fc from 'fast-check';
import { adTypeOf, readStoredItem, type StoredItem } from './stored-item.ts';

describe('stored item', () => {
  /** Reads an item from a document inside a response, and checks that the read ends with the document. */
  const read = (document: object, before = '', behind = '') => {
    const [head, text] = [Buffer.from(before), Buffer.from(JSON.stringify(document))];
    const items: StoredItem[] = [];
    const end = readStoredItem(Buffer.concat([head, text, Buffer.from(behind)]), head.length, (item) =>
      items.push(item),
    );
    expect(end).to.equal(head.length + text.length);
    expect(items).to.have.length(1);
    return items.map(({ feedItem, calendar }) => [feedItem.toString(), calendar.toString()])[0];
  };
  const served = ({ feed_item, calendar }: Pick<Item, 'feed_item' | 'calendar'>) => [
    JSON.stringify(feed_item),
    JSON.stringify(calendar),
  ];

  /** Text that imitates the surrounding structure. */
  const hostile = fc.constantFrom(
    '"',
    '\\',
    ',"feed_item":{',
    '},"calendar":[',
    ']}',
    '{"id":',
    ',"feed_item":{"id":"a"},"calendar":[]}',
    '\\",',
    '\u2028',
    '\ud800',
  );
  const text = fc.array(fc.oneof(hostile, fc.string({ unit: 'binary' }))).map((parts) => parts.join(''));
  const date = fc.record({
    date: fc.date({ noInvalidDate: true }).map((d) => d.toISOString().slice(0, 10)),
    available: fc.boolean(),
    price: fc.integer(),
  });
  const document = fc
    .record({
      id: text,
      title: text,
      description: text,
      images: fc.array(text),
      city: text,
      calendar: fc.array(date),
    })
    .map(({ id, title, description, images, city, calendar }) => ({
      id,
      published_at: 7,
      city,
      labels: { city },
      offers: calendar,
      feed_item: {
        id,
        title,
        description,
        location: { city, country: 'BR' as const },
        images,
        price: 1,
        currency: 'BRL' as const,
        url: 'https://example.com',
      },
      calendar,
    }));

  it('reads a document with only the item, with and without spaces', () => {
    for (const space of ['', ' ', '\n  ']) {
      const json = Buffer.from(`{"feed_item":${space}{"id":"a"}${space}}`);
      const items: string[] = [];
      expect(readStoredItem(json, 0, ({ feedItem }) => items.push(`${feedItem}`))).to.equal(json.length);
      expect(items).to.deep.equal(['{"id":"a"}']);
    }
  });

  it('returns two members of the document unchanged, with any content of strings', () =>
    fc.assert(
      fc.property(document, document, (one, other) => {
        expect(read(one, `[${JSON.stringify(other)},`, `,${JSON.stringify(other)}]`)).to.deep.equal(
          served(one),
        );
      }),
    ));

  it('is found in any order of the members, before another item', () =>
    fc.assert(
      fc.property(
        document,
        fc.shuffledSubarray(['id', 'city', 'offers', 'feed_item', 'calendar'] as const, { minLength: 5 }),
        (one, names) => {
          const shuffled = Object.fromEntries(names.map((name) => [name, one[name]]));
          expect(
            read(
              shuffled,
              '[',
              `,${JSON.stringify({ ...one, id: `${one.id}2`, feed_item: { id: `${one.id}2` } })}]`,
            ),
          ).to.deep.equal(served(one));
        },
      ),
    ));

  it('is not taken from the next document', () => {
    const next = { id: 'b', feed_item: { id: 'b' }, calendar: [] };
    expect(() => read({ id: 'a', calendar: [] }, '[', `,${JSON.stringify(next)}]`)).to.throw(
      'has no member feed_item',
    );
  });

  it('shows its ad type, whatever its text contains', () => {
    const one = { id: 'a","ad_type":"sale', published_at: 7, ad_type: 'rent', city: ',"ad_type":"x"' };
    const items: StoredItem[] = [];
    const add = (item: StoredItem) => items.push(item);
    const served = { feed_item: { id: one.id, title: '","ad_type":"sale"' }, calendar: [] };
    for (const document of [
      { ...one, ...served },
      { ...served, ...one },
      { id: 'b', ...served },
    ])
      readStoredItem(Buffer.from(JSON.stringify(document)), 0, add);
    expect(items.map(adTypeOf)).to.deep.equal(['rent', 'rent', undefined]);
  });

  it('can lack its calendar', () =>
    expect(read({ feed_item: { id: 'a' } })).to.deep.equal(['{"id":"a"}', '']));
});

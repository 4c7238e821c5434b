import { expect } from 'chai';
import type { FeedCriteria } from './criteria.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

const criteria: FeedCriteria = { feed: 'public-feed', pageSize: 20 };
const nearest: FeedCriteria = { ...criteria, point: { lat: -23.5, lon: -46.6 } };
const crafted = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const print = (of: FeedCriteria) =>
  (JSON.parse(Buffer.from(encodeCursor(of, { key: 1, id: 'a' }), 'base64url').toString()) as unknown[])[1];

describe('cursor', () => {
  it('decodes to the position that it encodes', () => {
    for (const key of [0, -62_167_219_200_000, 253_402_300_799_999]) {
      const position = { key, id: 'item:1' };
      expect(decodeCursor(criteria, encodeCursor(criteria, position))).to.deep.equal(position);
    }
    for (const key of [0, 0.1 + 0.2, 20_015_114.352233686, null]) {
      const position = { key, id: 'ç' };
      expect(decodeCursor(nearest, encodeCursor(nearest, position))).to.deep.equal(position);
    }
  });

  it('decodes to the position in every order, and is refused with a key that its order does not have', () => {
    const dated: FeedCriteria = { ...criteria, date: '2026-12-01', dateTo: '2026-12-03' };
    for (const [of, keys, others] of [
      [{ ...criteria, sort: 'price' }, [0.01, 99.9, 1e15], [-1, null]],
      [{ ...criteria, sort: 'rating' }, [0, 4.7, 5, null], [-0.5]],
      [{ ...dated, sort: 'total_price' }, [0.03, 936.7, 1e17], [-1, null]],
      [{ ...nearest, sort: 'newest' }, [0, -5, 1_796_000_000_000], [0.5, null]],
      [{ ...nearest, sort: 'price' }, [12.34], [-1, null]],
    ] as [FeedCriteria, number[], (number | null)[]][]) {
      for (const key of keys)
        expect(decodeCursor(of, encodeCursor(of, { key, id: 'a' })), `${of.sort} ${key}`).to.deep.equal({
          key,
          id: 'a',
        });
      for (const key of others)
        expect(decodeCursor(of, encodeCursor(of, { key, id: 'a' })), `${of.sort} ${key}`).to.equal(
          'malformed',
        );
    }
  });

  it('needs no escaping in a URL', () => {
    expect(encodeCursor(nearest, { key: 12.5, id: 'ÿ?&=+/' })).to.match(/^[\w-]+$/);
  });

  it('does not depend on the page size or on the previous cursor', () => {
    const cursor = encodeCursor(criteria, { key: 1, id: 'a' });
    expect(
      encodeCursor({ ...criteria, pageSize: 3, after: { key: 2, id: 'b' } }, { key: 1, id: 'a' }),
    ).to.equal(cursor);
  });

  it('is refused for another feed, filter or order', () => {
    const cursor = encodeCursor(nearest, { key: 1, id: 'a' });
    const others: Partial<FeedCriteria>[] = [
      { feed: 'ai-feed' },
      { adType: 'rent' },
      { city: 'a' },
      { category: 'a' },
      { sub_category: 'a' },
      { city: '' },
      { date: '2026-12-01' },
      { date: '2026-12-01', dateTo: '2026-12-02' },
      { point: { lat: -23.5, lon: -46.7 } },
      { localOnly: true },
      { sort: 'newest' },
      { sort: 'price' },
      { sort: 'rating' },
    ];
    for (const other of others)
      expect(decodeCursor({ ...nearest, ...other }, cursor), JSON.stringify(other)).to.equal(
        'of another feed, filter or order',
      );
    expect(decodeCursor(criteria, cursor)).to.equal('of another feed, filter or order');
    expect(print({ ...criteria, city: 'a' })).not.to.equal(print({ ...criteria, category: 'a' }));
  });

  it('of an earlier release stays valid', () => {
    const prints: [string, Partial<FeedCriteria>][] = [
      ['4tUWcs41hni9', {}],
      [
        'o_Gs5aLxQd6R',
        {
          adType: 'rent',
          city: 'natal',
          category: 'casa',
          sub_category: '',
          date: '2026-12-01',
          dateTo: '2026-12-03',
          point: { lat: -5.8, lon: 0 },
          localOnly: true,
        },
      ],
      ['SuTjz4jmERc5', { maxPrice: 300, minPrice: 10 }],
      ['Qes2bNRKadqj', { words: ['mar', 'vista'], categories: ['casa'], minPrice: 1, city: 'natal' }],
    ];
    for (const [expected, more] of prints)
      expect(print({ feed: 'ai-feed', pageSize: 20, ...more }), JSON.stringify(more)).to.equal(expected);
  });

  it('is refused if this service did not encode it', () => {
    const good = [1, print(criteria), 5, 'a'];
    expect(decodeCursor(criteria, crafted(good))).to.deep.equal({ key: 5, id: 'a' });
    const bad = [
      null,
      5,
      'a',
      {},
      [],
      good.slice(1),
      [...good, 1],
      [2, ...good.slice(1)],
      ['1', ...good.slice(1)],
    ];
    const badPlaces = [
      [null, 'a'],
      [0.5, 'a'],
      [2 ** 53, 'a'],
      ['5', 'a'],
      [true, 'a'],
      [5, 5],
      [5, null],
      [5, ['a']],
      [5, '\ud800'],
    ];
    for (const value of [...bad, ...badPlaces.map((position) => [...good.slice(0, 2), ...position])]) {
      expect(decodeCursor(criteria, crafted(value)), JSON.stringify(value)).to.equal('malformed');
    }
    for (const text of [
      '',
      'a',
      '*',
      '====',
      `${crafted(good)}=`,
      `${crafted(good)}A`,
      Buffer.from('[1, 2,3,4]').toString('base64url'),
      '_'.repeat(2_000),
    ]) {
      expect(decodeCursor(criteria, text), text).to.equal('malformed');
    }
    const far = [1, print(nearest), -1, 'a'];
    expect(decodeCursor(nearest, crafted(far))).to.equal('malformed');
    expect(
      decodeCursor(nearest, Buffer.from(JSON.stringify(far).replace('-1', '1e999')).toString('base64url')),
    ).to.equal('malformed');
  });
});

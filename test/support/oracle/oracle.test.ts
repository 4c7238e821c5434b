import { expect } from 'chai';
import { foldHistory } from './fold.ts';
import { money } from './item.ts';
import { modelOf } from './model.ts';
import { type OracleEvent, readRecord } from './record.ts';
import { slug, text } from './text.ts';
import { url } from './url.ts';

const event = (version: number, changes: Partial<OracleEvent> = {}): OracleEvent => ({
  id: 'a',
  rank: BigInt(version),
  time: version,
  fields: {},
  dates: [],
  replaces: false,
  ...changes,
});
const open = (date: string, price?: number) => ({
  date,
  available: true,
  ...(price !== undefined && { price }),
});

describe('the oracle', () => {
  for (const [raw, expected] of [
    ['casa<br />grande', 'casa grande'],
    ['a&lt;script&gt;b', 'a b'],
    ['3 < 5', '3 < 5'],
    ['x<a<a>>y', 'x y'],
    ['\u2062', undefined],
    ['a\u200db', 'a\u200db'],
    ['Sa\u0303o \t Paulo', 'São Paulo'],
    ['a\ud800', 'a\ufffd'],
    ['❤\ufe0f', '❤\ufe0f'],
    ['a\ufe0f', 'a'],
    [null, undefined],
  ] as const)
    it(`normalizes the text ${JSON.stringify(raw)}`, () => expect(text(raw)).to.equal(expected));

  for (const [raw, expected] of [
    ['São Paulo', 'sao-paulo'],
    ['--A--b--', 'a-b'],
    ['★', undefined],
  ] as const)
    it(`makes the slug of ${raw}`, () => expect(slug(raw)).to.equal(expected));

  for (const [raw, expected] of [
    [' HTTP://A.example ', 'http://a.example/'],
    ['https://a/b?c=[1]#d#e', 'https://a/b?c=%5B1%5D#d%23e'],
    ['https://a/%zz%41', 'https://a/%25zz%41'],
    ['https://a/?', 'https://a/?'],
    ['https://são.example/ç', 'https://xn--so-sia.example/%C3%A7'],
    ['http://[::1]:8080/', 'http://[::1]:8080/'],
    ['http://@a/', undefined],
    ['http://u:p@a/', undefined],
    ['http://a b/', undefined],
    ['http://a\u200bb/', undefined],
    ['http://a/\0', undefined],
    ['http://a"b/', undefined],
    ['http:///a', undefined],
    ['ftp://a/', undefined],
  ] as const)
    it(`normalizes or rejects the URL ${JSON.stringify(raw)}`, () => expect(url(raw)).to.equal(expected));

  it('rounds money half up', () =>
    expect([0.004, 0.005, 1.005, 2.675].map(money)).to.deep.equal([0, 0.01, 1, 2.68]));

  describe('folds a history', () => {
    it('with the highest version of each field above the removal', () => {
      const history = [
        event(2, { fields: { title: 'b' } }),
        event(1, { fields: { title: 'a', price: 1 } }),
        event(1, { removed: true }),
      ];
      expect(foldHistory(history)).to.deep.equal({
        removed: 1n,
        fields: { title: 'b' },
        calendar: [],
        firstTime: 1,
      });
    });
    it('with the greater canonical JSON if versions are equal', () => {
      const fields = [
        event(1, { fields: { location: { state: 'x', city: 'a' } } }),
        event(1, { fields: { location: { city: 'b' } } }),
      ];
      expect(foldHistory(fields).fields).to.deep.equal({ location: { city: 'b' } });
      const dates = [event(1, { dates: [open('2026-01-01', 5)] }), event(1, { dates: [open('2026-01-01')] })];
      expect(foldHistory(dates).calendar).to.deep.equal([open('2026-01-01')]);
    });
    it('without dates of versions below a replacement, but with dates of its version', () => {
      const history = [
        event(1, { dates: [open('2026-01-01')] }),
        event(2, { dates: [open('2026-01-02')] }),
        event(2, { dates: [open('2026-01-03')], replaces: true }),
      ];
      expect(foldHistory(history).calendar).to.deep.equal([open('2026-01-02'), open('2026-01-03')]);
    });
  });

  describe('reads a record', () => {
    const value = (changes: object = {}) =>
      JSON.stringify({
        ...{
          specversion: '1.0',
          id: 'e',
          source: '/s',
          type: 'marketplace.listing.changed',
          subject: 'a',
          time: '2026-01-01T00:00:00Z',
        },
        data: { version: 1, changes: { title: 'Casa' } },
        ...changes,
      });
    it('as an event', () =>
      expect(readRecord({ key: 'a', value: value() })).to.deep.include({
        id: 'a',
        rank: 1n,
        fields: { title: 'Casa' },
      }));
    it('as a removal', () =>
      expect(readRecord({ key: 'a', value: null, headers: { version: '3' } })).to.deep.include({
        rank: 3n,
        removed: true,
      }));
    it('as an unknown type', () =>
      expect(readRecord({ key: 'a', value: value({ type: 'x' }) })).to.equal('skipped'));
    for (const [what, record] of [
      ['another key', { key: 'b', value: value() }],
      ['no key', { key: null, value: value() }],
      ['bytes that are not UTF-8', { key: 'a', value: Buffer.from([0xff]) }],
      ['text that is not JSON', { key: 'a', value: '{' }],
      ['an array', { key: 'a', value: '[]' }],
      ['another schema', { key: 'a', value: value({ data: { version: 0, changes: { title: 'Casa' } } }) }],
      ['a tombstone without a version', { key: 'a', value: null }],
      ['more than 1 MiB', { key: 'a', value: value().padEnd(1024 * 1024 + 1) }],
      [
        'nesting deeper than 32',
        { key: 'a', value: value({ extra: JSON.parse(`${'['.repeat(32)}${']'.repeat(32)}`) as unknown }) },
      ],
    ] as const)
      it(`as a dead letter: ${what}`, () => expect(readRecord(record)).to.equal('dead letter'));
  });

  it('names the first reason why a listing is in no feed', () => {
    const complete = { title: 'Casa', price: 1, location: { city: 'Curitiba' }, url: 'https://a.example/' };
    const reason = (changes: object, version = 1) =>
      modelOf([
        {
          key: 'a',
          value: JSON.stringify({
            ...{
              specversion: '1.0',
              id: 'e',
              source: '/s',
              type: 'marketplace.listing.snapshot',
              subject: 'a',
              time: '2026-01-01T00:00:00Z',
            },
            data: { version, listing: { ...complete, ...changes } },
          }),
        },
        { key: 'a', value: null, headers: { version: '1' } },
      ]).hidden.get('a');
    expect(reason({}, 1)).to.equal('removed');
    expect(reason({}, 2)).to.equal(undefined);
    expect(reason({ title: '<b>', price: 0 }, 2)).to.equal('title');
    expect(reason({ price: 0.004, location: null }, 2)).to.equal('price');
    expect(reason({ location: { city: ' ' }, url: null }, 2)).to.equal('location');
    expect(reason({ url: 'http://@a/' }, 2)).to.equal('url');
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { encodeCursor } from '../request/cursor.ts';
import { UcpRefusal } from './messages.ts';
import { readLookup, readProduct, readSearch } from './requests.ts';

const BASE = { feed: 'ai-feed', pageSize: 10 };
const refusal = (read: () => unknown): UcpRefusal => {
  try {
    read();
  } catch (error) {
    if (error instanceof UcpRefusal) return error;
    throw error;
  }
  throw new Error('the request was accepted');
};

describe('UCP requests', () => {
  it('become the criteria of the feeds, with prices in BRL', () => {
    const { criteria, stay, usesExtension, messages } = readSearch({
      query: ' Praia  à CASA ',
      filters: {
        categories: ['Quarto', 'casa', 'CASA'],
        price: { min: 29, max: 123_456 },
        ad_type: 'rent',
        city: 'São Paulo',
        date: '2026-12-01',
        date_to: '2026-12-03',
      },
      pagination: { limit: 7 },
    });
    expect(criteria).to.deep.equal({
      feed: 'ai-feed',
      adTypes: 'rent',
      pageSize: 7,
      city: 'sao-paulo',
      date: '2026-12-01',
      dateTo: '2026-12-03',
      minPrice: 0.29,
      maxPrice: 1_234.56,
      categories: ['casa', 'quarto'],
      words: ['a', 'casa', 'praia'],
    });
    expect(stay).to.deep.equal({ date: '2026-12-01', dateTo: '2026-12-03' });
    expect(usesExtension).to.equal(true);
    expect(messages).to.deep.equal([]);
  });

  it('have 10 products per page by default, and at most 50', () => {
    const sizeOf = (pagination?: object) =>
      readSearch({ query: 'a', ...(pagination && { pagination }) }).criteria.pageSize;
    expect([sizeOf(), sizeOf({}), sizeOf({ limit: 50 }), sizeOf({ limit: 2 ** 60 })]).to.deep.equal([
      10, 10, 50, 50,
    ]);
  });

  it('use only filters of the catalog if they use no extension', () => {
    const { usesExtension, stay } = readSearch({ filters: { categories: ['casa'] } });
    expect(usesExtension).to.equal(false);
    expect(stay).to.equal(undefined);
  });

  it('continue only at a cursor of the same query', () => {
    const position = { key: 5, id: 'a' };
    const cursor = encodeCursor(readSearch({ query: 'casa' }).criteria, position);
    expect(readSearch({ query: 'casa', pagination: { cursor } }).criteria).to.deep.equal({
      ...BASE,
      words: ['casa'],
      after: position,
    });
    for (const request of [{ query: 'praia' }, { query: 'casa', filters: { categories: ['casa'] } }])
      expect(refusal(() => readSearch({ ...request, pagination: { cursor } })).code).to.equal(
        'invalid_cursor',
      );
  });

  it('need a query or a known filter', () => {
    for (const body of [{}, { query: ' ' }, { filters: { categories: [], price: {}, city: ' ', other: 1 } }])
      expect(refusal(() => readSearch(body)).code, JSON.stringify(body)).to.equal('invalid_request');
    expect(readSearch({ filters: { price: { max: 0 } } }).criteria).to.deep.equal({ ...BASE, maxPrice: 0 });
  });

  it('match nothing if the query has no word', () => {
    expect(readSearch({ query: '–?!' }).criteria.words).to.deep.equal(['']);
  });

  it('match nothing if a title in the index cannot have all words', () => {
    const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');
    const read = (query: string) => readSearch({ query }).criteria.words;
    expect(read(`casa ${'x'.repeat(65)}`)).to.deep.equal(['']);
    expect(read(words(65))).to.deep.equal(['']);
    expect(read(`casa casa ${'x'.repeat(64)}`)).to.deep.equal(['casa', 'x'.repeat(64)]);
    expect(read(words(64))).to.have.lengthOf(64);
  });

  it('ignore a price in another currency', () => {
    const { criteria, messages } = readSearch({
      filters: { price: { max: 5 } },
      context: { currency: 'EUR' },
    });
    expect(criteria).to.deep.equal(BASE);
    expect(messages.map(({ code }) => code)).to.deep.equal(['currency_unsupported']);
    expect(
      readSearch({ filters: { price: { max: 500 } }, context: { currency: 'brl' } }).criteria,
    ).to.deep.equal({
      ...BASE,
      maxPrice: 5,
    });
  });

  it('name each malformed member', () => {
    const { message } = refusal(() =>
      readSearch({ query: 1, filters: { price: { min: 'a' }, ad_type: 'lease', date: 'today' } }),
    );
    for (const name of ['query', 'filters.price.min', 'filters.ad_type', 'filters.date'])
      expect(message).to.include(name);
  });

  it('contain each id once, and at most 50', () => {
    expect(readLookup({ ids: ['b', 'a', 'b'] }).ids).to.deep.equal(['b', 'a']);
    const ids = Array.from({ length: 51 }, (_, i) => String(i));
    expect(refusal(() => readLookup({ ids })).code).to.equal('request_too_large');
    expect(readLookup({ ids: [...ids.slice(1), '1'] }).ids).to.have.lengthOf(50);
    expect(refusal(() => readLookup({ ids: [] })).code).to.equal('invalid_request');
  });

  it('are refused only with a UcpRefusal, whatever they contain', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.constant(null), fc.jsonValue());
    const date = fc.date({ noInvalidDate: true }).map((one) => one.toISOString().slice(0, 10));
    const filters = fc.record(
      {
        categories: fc.oneof(fc.array(fc.string({ unit: 'binary' })), value),
        price: fc.oneof(fc.record({ min: value, max: value }, { requiredKeys: [] }), value),
        ad_type: value,
        city: fc.oneof(fc.string({ unit: 'binary' }), value),
        date: fc.oneof(date, value),
        date_to: fc.oneof(date, value),
        constructor: value,
      },
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      value,
      fc.record(
        {
          query: fc.oneof(fc.string({ unit: 'binary' }), value),
          filters: fc.oneof(filters, value),
          context: fc.oneof(fc.record({ currency: value }), value),
          pagination: fc.oneof(fc.record({ cursor: value, limit: value }, { requiredKeys: [] }), value),
          ids: fc.oneof(fc.array(fc.string()), value),
          id: value,
        },
        { requiredKeys: [] },
      ),
    );
    const isRefusal = (read: () => unknown) => {
      try {
        read();
      } catch (error) {
        expect(error).to.be.instanceOf(UcpRefusal);
      }
    };
    fc.assert(
      fc.property(body, (given) => {
        for (const read of [readSearch, readLookup, readProduct]) isRefusal(() => read(given));
      }),
      { numRuns: 1_000 },
    );
  });

  it('know no filter by a name that every object has', () => {
    expect(refusal(() => readSearch({ filters: { constructor: 'a', toString: 1 } })).code).to.equal(
      'invalid_request',
    );
  });

  it('of one product may select options, which products do not have', () => {
    expect(
      readProduct({ id: 'a', selected: [{ name: 'Size', label: 'L' }], preferences: ['Size'] }).id,
    ).to.equal('a');
    expect(refusal(() => readProduct({ id: null })).message).to.include('id is required');
  });
});

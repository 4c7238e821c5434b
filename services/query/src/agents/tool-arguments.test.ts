import type { FilterArguments } from '@vitrine/feed-index/filters';
import { expect } from 'chai';
import fc from 'fast-check';
import { encodeCursor } from '../request/cursor.ts';
import { argumentSchemas } from './argument-schemas.ts';
import type { SearchArguments } from './search/search-listings.ts';
import { argumentReader, BadArguments, criteriaOf } from './tool-arguments.ts';

const schemas = argumentSchemas(50);
const readSearch = argumentReader<SearchArguments>(schemas.search_listings);
const read = (given: unknown): SearchArguments => readSearch(given).args;
const badNames = (action: () => unknown): string[] => {
  try {
    action();
  } catch (error) {
    if (error instanceof BadArguments) return error.bad.map(({ argument }) => argument);
    throw error;
  }
  return [];
};

describe('arguments of a tool', () => {
  it('have defaults, and may be null or absent', () => {
    expect(read(undefined)).to.deep.equal({ limit: 5, detail: 'concise', local_only: false });
    expect(read({ city: null, limit: 3 })).to.deep.equal({ limit: 3, detail: 'concise', local_only: false });
  });

  it('count as absent if they are an empty text or null, even all of them together', () => {
    const empty = {
      city: '',
      date: '',
      date_to: '',
      ad_type: '',
      cursor: '',
      lat: '',
      limit: '',
      detail: null,
    };
    expect(read(empty)).to.deep.equal(read({}));
    expect(read(null)).to.deep.equal(read(undefined));
    expect(badNames(() => argumentReader(schemas.check_availability)({ id: '', date: '' }))).to.deep.equal([
      'id',
      'date',
    ]);
  });

  it('are lists, even as one text or as JSON in a text, without empty values', () => {
    for (const city of ['Natal', ['Natal'], '["Natal"]', ['Natal', '', null]])
      expect(read({ city }).city, JSON.stringify(city)).to.deep.equal(['Natal']);
    expect(read({ ad_type: 'Rent' }).ad_type).to.deep.equal(['rent']);
    expect(read({ city: '[Natal' }).city).to.deep.equal(['[Natal']);
    expect(read({ city: [], ad_type: [''] })).to.deep.equal(read({}));
    expect(badNames(() => read({ city: ['Natal', 7], category: { a: 1 } }))).to.deep.equal([
      'city',
      'category',
    ]);
    expect(badNames(() => read({ city: Array.from({ length: 21 }, String) }))).to.deep.equal(['city']);
  });

  it('are not numbers if they are infinite, or long texts of digits, which take little time', () => {
    for (const [min_price, lat] of [
      ['1e400', `${'9'.repeat(120_000)}x`],
      [Number.POSITIVE_INFINITY, '1'.repeat(120_000)],
    ])
      expect(badNames(() => read({ min_price, lat, lng: 1 }))).to.deep.equal(['lat', 'min_price']);
  }).timeout(10_000);

  it('may be numbers and flags in texts, and fixed values in another letter case', () => {
    const texts = { lat: '-27.59', lng: ' 1e1 ', max_price: '300', limit: '3', local_only: 'True' };
    expect(read({ ...texts, detail: 'DETAILED', sort: 'Price' })).to.deep.equal({
      lat: -27.59,
      lng: 10,
      max_price: 300,
      limit: 3,
      local_only: true,
      detail: 'detailed',
      sort: 'price',
    });
    const wrong = { lat: '27,5', max_price: 'R$ 300', limit: '', local_only: 'yes', sort: 'cheap' };
    expect(badNames(() => read(wrong))).to.have.members(['lat', 'max_price', 'local_only', 'sort']);
  });

  it('have a limit within its range, and a note says if it was changed', () => {
    for (const [limit, used] of [
      [0, 1],
      [-5, 1],
      ['21', 20],
      [1e300, 20],
    ]) {
      const { args, notes } = readSearch({ limit });
      expect(args.limit, String(limit)).to.equal(used);
      expect(notes).to.deep.equal([`limit must be from 1 to 20. This answer used ${used}.`]);
    }
    expect(readSearch({ limit: 20 }).notes).to.deep.equal([]);
    expect(badNames(() => read({ limit: 2.5 }))).to.deep.equal(['limit']);
  });

  it('are all named if they are malformed, each once', () => {
    expect(
      badNames(() => read({ city: 7, limit: 'many', date: '2026-02-30', lat: 91, x: 1 })),
    ).to.have.members(['"x"', 'city', 'limit', 'date', 'lat']);
    expect(badNames(() => read([]))).to.deep.equal(['arguments']);
    expect(badNames(() => argumentReader(schemas.check_availability)({}))).to.deep.equal(['id', 'date']);
  });

  it('are named up to a limit, so that a refusal stays short', () => {
    const unknown = Object.fromEntries(Array.from({ length: 8_000 }, (_, i) => [`u${i}`, 1]));
    const names = badNames(() => read(unknown));
    expect(names).to.have.length(21);
    expect(names.slice(-2)).to.deep.equal(['"u19"', 'arguments']);
    expect(() => read(unknown)).to.throw('arguments: have 7980 further errors');
  });

  it('of any kind are read or refused, but never end in another error', () =>
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom('city', 'lat', 'cursor'), fc.jsonValue())),
        (any) => {
          badNames(() => {
            const args = read(any);
            criteriaOf(args, args.limit, args.cursor);
          });
        },
      ),
      { numRuns: 2_000 },
    ));
});

describe('filters of a tool', () => {
  const criteria = (args: FilterArguments, cursor?: string) => criteriaOf(args, 5, cursor);

  it('follow the rules of the agent feed', () =>
    expect(
      criteria({
        ad_type: 'rent',
        city: ' SÃO  Paulo ',
        date: '2026-12-12',
        date_to: '2026-12-15',
        lat: -27.59,
        lng: 1e-7,
        local_only: true,
        min_price: 0,
        max_price: 300,
      }),
    ).to.deep.equal({
      feed: 'ai-feed',
      adTypes: 'rent',
      pageSize: 5,
      city: 'sao-paulo',
      date: '2026-12-12',
      dateTo: '2026-12-15',
      point: { lat: -27.59, lon: 0.0000001 },
      localOnly: true,
      minPrice: 0,
      maxPrice: 300,
    }));

  it('name the argument of a broken rule', () => {
    expect(badNames(() => criteria({ date_to: '2026-12-15' }))).to.deep.equal(['date_to']);
    expect(badNames(() => criteria({ lat: 1, local_only: true }))).to.include.members(['lat', 'lng']);
    expect(badNames(() => criteria({ local_only: true }))).to.deep.equal(['local_only']);
    expect(badNames(() => criteria({ min_price: 2, max_price: 1 }))).to.deep.equal(['min_price']);
  });

  it('belong to a cursor, including the prices', () => {
    const cursor = encodeCursor(criteria({ max_price: 10 }), { key: 1, id: 'a' });
    expect(criteria({ max_price: 10 }, cursor).after).to.deep.equal({ key: 1, id: 'a' });
    expect(badNames(() => criteria({ max_price: 11 }, cursor))).to.deep.equal(['cursor']);
    expect(badNames(() => criteria({}, 'x'))).to.deep.equal(['cursor']);
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import {
  queryOf,
  requestPath,
  type SearchState,
  sortsOf,
  stateOf,
  withFilters,
  withoutFilters,
} from './search-state.ts';

const states: fc.Arbitrary<SearchState> = fc
  .record(
    {
      feed: fc.constantFrom('ai-feed', 'public-feed'),
      ad_type: fc.constantFrom('sale', 'rent', 'service'),
      city: fc.string({ minLength: 1 }),
      category: fc.string({ minLength: 1 }),
      date: fc.constantFrom('2026-12-01', '2027-01-31'),
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      page: fc.integer({ min: 2, max: 1_000 }),
    },
    { requiredKeys: ['feed'] },
  )
  .map((state) => ({
    ...state,
    ...(state.lat === undefined ? {} : { lat: state.lat || 0, lng: -46.5, localOnly: true }),
  })) as fc.Arbitrary<SearchState>;
const empty = { feed: 'ai-feed' } as const;

describe('state of the explorer', () => {
  it('survives the URL', () =>
    fc.assert(
      fc.property(states, (state) => {
        expect(stateOf(queryOf(state))).to.deep.equal(state);
      }),
    ));

  it('has an empty query at the start', () => expect(queryOf(empty)).to.equal(''));

  for (const query of [
    // The calendar cannot show these dates.
    ...['2026-13-40', '2026-02-30', '9999-12-31', '0000-00-00'].map(
      (date) => `?date=${date}&date_to=2026-12-02`,
    ),
    '?feed=x&type=y&date=soon&date_to=2026-12-02&lat=1&page=-3&localOnly=true',
    '?sort=total_price',
    '?sort=newest',
  ])
    it(`ignores what has no meaning in ${query}`, () => expect(stateOf(query)).to.deep.equal(empty));

  it('ignores numbers that the service refuses', () =>
    expect(queryOf(stateOf('?date=2026-12-01&nights=2.5&min_rating=6&min_price=-1&max_price=9'))).to.equal(
      '?date=2026-12-01&max_price=9',
    ));

  it('becomes a request with the names of the API', () =>
    expect(
      requestPath(stateOf('?type=rent&city=são paulo&date=2026-12-01&lat=-23.5&lng=-46.6&localOnly=true')),
    ).to.equal(
      'ai-feed/rent?city=s%C3%A3o+paulo&date=2026-12-01&lat=-23.5&lng=-46.6&localOnly=true&page=1&pageSize=12',
    ));

  it('returns to the first page when a filter changes, and stays in cursor pages', () => {
    expect(withFilters({ ...empty, page: 4 }, { city: 'natal' })).to.deep.equal({ ...empty, city: 'natal' });
    expect(withFilters({ ...empty, cursor: 'abc' }, { city: 'natal' }).cursor).to.equal('*');
  });

  it('removes the filters that depend on a removed filter', () =>
    expect(
      withFilters(stateOf('?date=2026-12-01&date_to=2026-12-02&lat=1&lng=2&localOnly=true'), {
        date: undefined,
        lat: undefined,
        lng: undefined,
      }),
    ).to.deep.equal(empty));

  it('has only orders that the service accepts, and leaves out the default order', () => {
    expect(sortsOf({})).to.deep.equal(['newest', 'price', 'rating']);
    const nearOnDates = ['distance', 'newest', 'price', 'rating', 'total_price'];
    expect(sortsOf({ date: '2026-12-01', lat: 1, lng: 2 })).to.deep.equal(nearOnDates);
    const byTotal = stateOf('?date=2026-12-01&sort=total_price&max_total_price=900&nights=2');
    expect(byTotal.sort).to.equal('total_price');
    expect(withFilters(byTotal, { date: undefined })).to.deep.equal(empty);
  });

  it('makes dates and nights fit each other', () => {
    const state = stateOf('?date=2026-12-01&date_to=2026-12-03&nights=2');
    expect(queryOf(withFilters(state, { nights: 5 }))).to.equal(
      '?date=2026-12-01&date_to=2026-12-05&nights=5',
    );
    expect(queryOf(withFilters(state, { date: '2026-12-03', date_to: '2026-12-03' }))).to.equal(
      '?date=2026-12-03&nights=2',
    );
    expect(queryOf(withFilters({ ...state, nights: 3 }, { date: '2026-12-02' }))).to.equal(
      '?date=2026-12-02&date_to=2026-12-03',
    );
    const long = stateOf('?date=2026-12-01&date_to=2027-02-28&nights=7');
    expect(queryOf(withFilters(long, { nights: undefined }))).to.equal('?date=2026-12-01&date_to=2026-12-31');
  });

  it('loses all filters at once, and keeps the feed', () => {
    const state = stateOf('?feed=public-feed&city=natal&max_price=9&sort=price&page=3');
    expect(withFilters(state, withoutFilters(state))).to.deep.equal({ feed: 'public-feed' });
  });
});

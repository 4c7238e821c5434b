import { expect } from 'chai';
import { closedDates, nearestFree } from './one-calendar.ts';
import { CLOSED, type OracleListing, oracleListing, slugOf } from './oracle-listing.ts';
import { countBy, nearestFirst, newestFirst, offersOn, select } from './selection.ts';

const TODAY = '2026-12-01';

describe('oracle of the twelve questions', () => {
  const nights = (...cents: number[]) => Int32Array.from(cents);
  const listing = (id: string, more: Partial<OracleListing> = {}): OracleListing => ({
    id,
    adType: 'rent',
    city: 'recife',
    category: 'temporada',
    subCategory: 'chale',
    cents: 10_000,
    publishedAt: 0,
    latitude: 0,
    longitude: 0,
    state: 'pe',
    until: -1,
    rating: 0,
    hasImage: false,
    nights: nights(),
    ...more,
  });
  const ids = (listings: readonly OracleListing[]) => listings.map(({ id }) => id);

  it('makes slugs without accents, repeated spaces and capitals', () => {
    expect([' SÃO  PAULO ', 'Espaços para Eventos', 'Chalé'].map(slugOf)).to.deep.equal([
      'sao-paulo',
      'espacos-para-eventos',
      'chale',
    ]);
  });

  it('reads the price of each date, and falls back to the price of the listing', () => {
    const { cents, nights: prices } = oracleListing(
      {
        id: 'a',
        adType: 'rent',
        fields: {
          ad_type: 'rent',
          title: 'Chalé',
          description: '',
          category: 'Temporada',
          sub_category: 'Chalé',
          price: 149.9,
          location: { city: 'Recife', lat: -8, lng: -35 },
          provider: {},
          rating: 5,
          review_count: 0,
          images: [],
          url: 'https://vitrine.example/a',
          published_at: '2026-01-01T00:00:00Z',
        },
        calendar: [
          { date: '2026-11-30', available: true },
          { date: '2026-12-01', available: true },
          { date: '2026-12-02', available: false, price: 200 },
          { date: '2026-12-03', available: true, price: 195 },
        ],
        flaw: undefined,
        removed: false,
      },
      TODAY,
    );
    expect(cents).to.equal(14_990);
    expect([...prices.slice(0, 4)]).to.deep.equal([14_990, CLOSED, 19_500, CLOSED]);
    expect(prices).to.have.length(90);
  });

  it('selects by every condition, and requires every date of a range', () => {
    const all = [
      listing('free', { nights: nights(100, 100, 100) }),
      listing('taken', { nights: nights(100, CLOSED, 100) }),
      listing('cheap', { cents: 5_000 }),
      listing('elsewhere', { city: 'natal', nights: nights(100, 100, 100) }),
    ];
    expect(ids(select(all, { city: 'recife', dates: [0, 2] }))).to.deep.equal(['free']);
    expect(ids(select(all, { dates: [2, 3] }))).to.deep.equal([]);
    expect(ids(select(all, { maxCents: 5_000 }))).to.deep.equal(['cheap']);
    expect(ids(select(all, { minCents: 10_000, city: 'natal' }))).to.deep.equal(['elsewhere']);
    expect(countBy(all, 'city')).to.deep.equal({ recife: 3, natal: 1 });
  });

  it('sorts newest first and by id, or nearest first', () => {
    const all = [
      listing('b', { longitude: 1 }),
      listing('c', { publishedAt: 5, longitude: -2 }),
      listing('a', { longitude: 3 }),
    ];
    expect(ids(newestFirst(all))).to.deep.equal(['c', 'a', 'b']);
    expect(ids(nearestFirst(all, 0, 0))).to.deep.equal(['b', 'c', 'a']);
    // Near the pole, a degree of longitude is short.
    const north = [listing('far', { latitude: 79.5 }), listing('near', { latitude: 80, longitude: 2 })];
    expect(ids(nearestFirst(north, 80, 0))).to.deep.equal(['near', 'far']);
  });

  it('counts the offers of a date with their lowest price', () => {
    const all = [listing('a', { nights: nights(300) }), listing('b', { nights: nights(200, 100) })];
    expect(offersOn(all, 0)).to.deep.equal({ count: 2, minCents: 200 });
    expect(offersOn(all, 2)).to.deep.equal({ count: 0 });
  });

  it('finds the nearest free ranges of the same length on both sides', () => {
    //                        0  1  2  3       4       5  6       7  8
    const calendar = { nights: nights(1, 1, 1, CLOSED, CLOSED, 1, CLOSED, 1, 1) };
    expect(closedDates(calendar, [3, 5])).to.deep.equal([3, 4]);
    expect(nearestFree(calendar, [3, 4])).to.deep.equal({ before: [1, 2], after: [7, 8] });
    expect(nearestFree(calendar, [3, 6])).to.deep.equal({});
  });
});

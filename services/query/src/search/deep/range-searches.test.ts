import { expect } from 'chai';
import { boundsBetween, nextAbove, nextBelow } from '../order/doubles.ts';
import type { Matching } from '../order/matching.ts';
import { VALUE_ORDERS } from '../order/value-order.ts';
import {
  countRequest,
  distanceExtremes,
  extremesRequest,
  ringsRequest,
  sampleRequest,
  valuesRequest,
} from './range-searches.ts';
import { partsBetween } from './range-split.ts';

const point = { lat: -23.5, lon: -46.6 };
const city = { term: { city: 'recife' } };
const newest: Matching = { clauses: [city], order: 'newest' };
const nearest: Matching = { clauses: [city], order: point };
const time = { by: 'value', from: 10, below: 20, count: 50 } as const;
const keyRange = { ...time, below: 11 };

describe('range searches', () => {
  it('find the oldest and the newest item, and their number', () => {
    const aggs = { least: { min: { field: 'published_at' } }, most: { max: { field: 'published_at' } } };
    expect(extremesRequest(newest, VALUE_ORDERS.newest)).to.deep.equal({
      size: 0,
      track_total_hits: true,
      query: { bool: { filter: [city] } },
      aggs,
    });
    expect(extremesRequest(newest, VALUE_ORDERS.newest, time).query).to.deep.equal({
      bool: { filter: [city, { range: { published_at: { gte: 10, lt: 20 } } }] },
    });
  });

  it('count by value, without gaps', () => {
    const byPrice: Matching = { clauses: [city], order: 'price' };
    const { aggs, ...request } = valuesRequest(byPrice, VALUE_ORDERS.price, time, { least: 10, most: 19.5 });
    expect(request).to.deep.equal({
      size: 0,
      track_total_hits: false,
      query: { bool: { filter: [city, { range: { price: { gte: 10, lt: 20 } } }] } },
    });
    const bounds = boundsBetween(10, 19.5, 1_000);
    expect(aggs?.['parts']?.range).to.deep.equal({
      field: 'price',
      ranges: bounds.slice(1).map((to, i) => ({ from: bounds[i], to })),
    });
    expect(bounds).to.have.lengthOf(1_001);
  });

  it('count by rings around the point, thinner near it, without gaps', () => {
    const { aggs, ...request } = ringsRequest(nearest, undefined, 0, 1_000);
    expect(request).to.deep.equal({ size: 0, track_total_hits: true, query: { bool: { filter: [city] } } });
    const { ranges = [], ...rings } = aggs?.['parts']?.geo_distance ?? {};
    expect(rings).to.deep.equal({ field: 'point', origin: point, unit: 'm' });
    expect(ranges).to.have.lengthOf(1_000);
    expect(ranges[0]).to.deep.equal({ from: 0, to: 1_000 * 0.001 ** 3 });
    expect(ranges.at(-1)).to.have.property('to', 1_000);
    for (const [i, { from, to }] of ranges.entries()) {
      expect(Number(to)).to.be.above(Number(from));
      if (i > 0) expect(from).to.equal(ranges[i - 1]?.to);
    }
  });

  it('count by distinct rings between distances that hardly differ', () => {
    const far = nextAbove(nextAbove(2_000_000));
    const ranges = ringsRequest(nearest, undefined, 2_000_000, far).aggs?.['parts']?.geo_distance?.ranges;
    expect(ranges).to.deep.equal([
      { from: 2_000_000, to: nextAbove(2_000_000) },
      { from: nextAbove(2_000_000), to: far },
    ]);
  });

  it('find the nearest and the farthest item of a ring', () => {
    const within = (distance: number) => ({ geo_distance: { point, distance, unit: 'm' } });
    const request = (order: string, search_after: unknown[]) => ({
      size: 1,
      track_total_hits: false,
      _source: false,
      query: { bool: { filter: [city, { bool: { filter: [within(21)], must_not: [within(9)] } }] } },
      sort: [{ _geo_distance: { point, order, unit: 'm' } }, { id: 'asc' }],
      search_after,
    });
    expect(distanceExtremes(nearest, { by: 'distance', from: 10, below: 20, count: 5 })).to.deep.equal([
      request('asc', [nextBelow(10), '\u{10ffff}']),
      request('desc', [20, '\u{10ffff}']),
    ]);
    expect(
      distanceExtremes(nearest, { by: 'distance', from: 0, below: 20, count: 5 })[0],
    ).not.to.have.property('search_after');
  });

  it('sample the same ids at every search', () => {
    expect(sampleRequest(newest, { by: 'id', keyRange, count: 50 }, 8)).to.deep.equal({
      size: 8,
      track_total_hits: false,
      _source: false,
      docvalue_fields: ['id'],
      query: {
        function_score: {
          query: {
            bool: {
              filter: [city, { range: { published_at: { gte: 10, lt: 11 } } }, { range: { id: {} } }],
            },
          },
          functions: [{ random_score: { seed: 1, field: '_seq_no' } }],
          boost_mode: 'replace',
        },
      },
    });
  });

  it('count the items between ids', () => {
    const range = { by: 'id', keyRange, from: 'a', before: 'd', count: 50 } as const;
    const parts = partsBetween(range, ['a', 'b', 'c']);
    expect(parts.map(({ from, before }) => [from, before])).to.deep.equal([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
    ]);
    expect(countRequest(newest, range, parts).aggs).to.deep.equal({
      parts: {
        filters: {
          filters: [
            { bool: { filter: [{ range: { id: { gte: 'a', lt: 'b' } } }] } },
            { bool: { filter: [{ range: { id: { gte: 'b', lt: 'c' } } }] } },
            { bool: { filter: [{ range: { id: { gte: 'c', lt: 'd' } } }] } },
          ],
        },
      },
    });
  });

  it('count the items of one distance between ids', () => {
    const ring = { by: 'distance', from: 10, below: 20, count: 50 } as const;
    const range = { by: 'id', keyRange: ring, count: 50 } as const;
    expect(countRequest(nearest, range, partsBetween(range, ['b'])).aggs).to.deep.equal({
      ring: {
        geo_distance: { field: 'point', origin: point, unit: 'm', ranges: [{ from: 10, to: 20 }] },
        aggs: {
          parts: {
            filters: {
              filters: [
                { bool: { filter: [{ range: { id: { lt: 'b' } } }] } },
                { bool: { filter: [{ range: { id: { gte: 'b' } } }] } },
              ],
            },
          },
        },
      },
    });
  });

  it('count the ids before the first and after the last bound', () => {
    expect(partsBetween({ by: 'id', keyRange, count: 50 }, ['b'])).to.deep.equal([
      { by: 'id', keyRange, before: 'b', count: 0 },
      { by: 'id', keyRange, from: 'b', count: 0 },
    ]);
  });
});

import type { estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import type { OrderRange } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import { type CountSearch, countOrder, splitRange } from './range-split.ts';

const point = { lat: -23.5, lon: -46.6 };
const city = { term: { city: 'recife' } };
const newest: Matching = { clauses: [city], order: 'newest' };
const nearest: Matching = { clauses: [city], order: point };
const time = { by: 'value', from: 10, below: 20, count: 50 } as const;

describe('range split', () => {
  const answering = (...answers: object[]) => {
    const requests: estypes.SearchRequest[] = [];
    const search: CountSearch = async (request) => {
      requests.push(request);
      return {
        took: 1,
        timed_out: false,
        _shards: { failed: 0, successful: 1, total: 1 },
        hits: { hits: [] },
        ...answers[requests.length - 1],
      };
    };
    return { search, requests };
  };
  const extremes = (least: number | null, most: number | null, total: number) => ({
    hits: { total: { value: total, relation: 'eq' }, hits: [] },
    aggregations: { least: { value: least }, most: { value: most } },
  });
  const parts = (...buckets: object[]) => ({ aggregations: { parts: { buckets } } });

  it('returns no ranges if nothing matches', async () => {
    expect(await countOrder(newest, answering(extremes(null, null, 0)).search)).to.deep.equal({
      total: 0,
      ranges: [],
    });
  });

  it('lists the ranges of a descending order from the highest value', async () => {
    const { search } = answering(
      extremes(5, 2_995, 9),
      parts(
        { from: 5, to: 6, doc_count: 5 },
        { from: 6, to: 7, doc_count: 0 },
        { from: 2_994, doc_count: 4 },
      ),
    );
    expect((await countOrder(newest, search)).ranges).to.deep.equal([
      { by: 'value', from: 2_994, below: Number.POSITIVE_INFINITY, count: 4 },
      { by: 'value', from: 5, below: 6, count: 5 },
    ]);
  });

  it('limits the number of parts, for any range', async () => {
    for (const [oldest, latest] of [
      [0, 999],
      [0, 1_000],
      [-62_167_219_200_000, 253_402_300_799_999],
    ] as const) {
      const { search, requests } = answering(
        extremes(oldest, latest, 9),
        parts({ from: oldest, to: latest + 1, doc_count: 9 }),
      );
      const { total } = await countOrder(newest, search);
      expect(requests[1]?.aggs?.['parts']?.range?.ranges?.length).to.be.within(2, 1_000);
      expect(total).to.equal(9);
    }
  });

  it('ends an order with the items without a value', async () => {
    const byRating: Matching = { clauses: [city], order: 'rating' };
    const rated = answering(extremes(4.5, 5, 9), parts({ from: 4.5, to: 5.5, doc_count: 4 }));
    expect(await countOrder(byRating, rated.search)).to.deep.equal({
      total: 9,
      ranges: [
        { by: 'value', from: 4.5, below: 5.5, count: 4 },
        { by: 'no key', count: 5 },
      ],
    });
    expect(await countOrder(byRating, answering(extremes(null, null, 3)).search)).to.deep.equal({
      total: 3,
      ranges: [{ by: 'no key', count: 3 }],
    });
  });

  it('ends the nearest-first order with the items without coordinates', async () => {
    const rings = {
      ...parts({ from: 0, to: 1, doc_count: 4 }, { from: 1, to: 2, doc_count: 0 }),
      hits: { total: { value: 7, relation: 'eq' }, hits: [] },
    };
    expect(await countOrder(nearest, answering(rings).search)).to.deep.equal({
      total: 7,
      ranges: [
        { by: 'distance', from: 0, below: 1, count: 4 },
        { by: 'no key', count: 3 },
      ],
    });
  });

  it('splits a time of one millisecond and a ring of one distance by id', async () => {
    const sample = {
      hits: { hits: ['c', 'b'].map((id) => ({ _index: 'i', _id: id, fields: { id: [id] } })) },
    };
    const counts = parts({ doc_count: 20 }, { doc_count: 0 }, { doc_count: 30 });
    const nearestHit = { hits: { hits: [{ _index: 'i', sort: [7.5] }] } };
    const ring: OrderRange = { by: 'distance', from: 7, below: 8, count: 50 };
    const ringCounts = { aggregations: { ring: { buckets: [counts.aggregations] } } };
    for (const [range, matching, found] of [
      [time, newest, [extremes(10, 10, 50), sample, counts]],
      [ring, nearest, [nearestHit, nearestHit, sample, ringCounts]],
    ] as const) {
      expect(await splitRange(range, matching, 10, answering(...found).search)).to.deep.equal([
        { by: 'id', keyRange: range, before: 'b', count: 20 },
        { by: 'id', keyRange: range, from: 'c', count: 30 },
      ]);
    }
  });
});

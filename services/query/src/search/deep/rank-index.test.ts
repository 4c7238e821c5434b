import type { estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { LRUCache } from 'lru-cache';
import type { OrderRange } from '../order/key-range.ts';
import { SearchLimiter } from '../search-limiter.ts';
import { type SharedCount, SharedCounts } from '../shared-point-in-time.ts';
import type { CountResponse } from './range-searches.ts';
import { createRankIndex, joinUntil, type RankIndexOptions, rangeAt } from './rank-index.ts';

const ranges: OrderRange[] = [3, 1, 5].map((count, i) => ({
  by: 'value',
  from: 0 - i,
  below: 1 - i,
  count,
}));

const optionsWith = (search: RankIndexOptions['search']): RankIndexOptions => ({
  maxSkipped: 1_000,
  counts: new SharedCounts(new LRUCache<string, SharedCount>({ max: 10 })),
  distanceCountLimiter: new SearchLimiter({ limit: 1 }),
  search,
  signal: new AbortController().signal,
});

describe('rank index', () => {
  it('finds the range of every rank, and its offset in that range', () => {
    const found = Array.from({ length: 9 }, (_, rank) => rangeAt(ranges, rank)).map(({ index, offset }) => [
      index,
      offset,
    ]);
    expect(found).to.deep.equal([
      ...[0, 1, 2].map((offset) => [0, offset]),
      [1, 0],
      ...[0, 1, 2, 3, 4].map((offset) => [2, offset]),
    ]);
    expect(() => rangeAt(ranges, 9)).to.throw('is beyond the last counted item');
  });

  it('joins the following ranges while they are needed and short', () => {
    const wide = (count: number, longest: number) => joinUntil(ranges, count, longest);
    expect(wide(3, 10)).to.equal(ranges[0]);
    expect(wide(4, 10)).to.deep.equal({ by: 'value', from: -1, below: 1, count: 4 });
    expect(wide(5, 10)).to.deep.equal({ by: 'value', from: -2, below: 1, count: 9 });
    expect(wide(100, 10)).to.deep.equal({ by: 'value', from: -2, below: 1, count: 9 });
    expect(wide(100, 4)).to.deep.equal({ by: 'value', from: -1, below: 1, count: 4 });
  });

  it('splits a ring if a search would have to skip many of its items', async () => {
    const whole = { by: 'distance', from: 100, below: 200, count: 500 } as const;
    const rings = Array.from({ length: 100 }, (_, i) => ({ from: 100 + i, to: 101 + i, doc_count: 5 }));
    let counts = 0;
    const search = async ({ sort, aggs }: estypes.SearchRequest): Promise<CountResponse> => {
      counts++;
      const key = JSON.stringify(sort ?? []).includes('asc","unit') ? 100 : 199.5;
      const isWhole = aggs?.['parts']?.geo_distance?.ranges?.[0]?.from === 0;
      const buckets = isWhole ? [{ from: 100, to: 200, doc_count: 500 }] : rings;
      return {
        took: 1,
        timed_out: false,
        _shards: { failed: 0, successful: 1, total: 1 },
        hits: {
          total: { value: 500, relation: 'eq' },
          hits: sort ? [{ _index: 'items', sort: [key, 'id'] }] : [],
        },
        aggregations: { parts: { buckets: buckets.map((bucket) => ({ key: 0, ...bucket })) } },
      };
    };
    const rankIndex = createRankIndex({ clauses: [], order: { lat: 1, lon: 2 } }, optionsWith(search));
    expect(await rankIndex.locate(40, 20)).to.deep.equal({ range: whole, offset: 40 });
    expect(counts).to.equal(1);
    const page = { by: 'distance', from: 108, below: 113, count: 25 };
    expect(await rankIndex.locate(42, 20)).to.deep.equal({ range: page, offset: 2 });
  });

  it('fails if a range of wrong counts is its own part, instead of splitting it forever', async () => {
    const ITEMS = 5_000;
    // All items have one value, and the counts repeat one item.
    const search = async ({ aggs }: estypes.SearchRequest): Promise<CountResponse> => {
      const filters = aggs?.['parts']?.filters?.filters as unknown[] | undefined;
      const counts = filters ? filters.map((_, i) => (i === filters.length - 1 ? ITEMS : 0)) : [ITEMS];
      return {
        took: 1,
        timed_out: false,
        _shards: { failed: 0, successful: 1, total: 1 },
        hits: { total: { value: ITEMS, relation: 'eq' }, hits: [{ _index: 'items', fields: { id: ['a'] } }] },
        aggregations: {
          parts: { buckets: counts.map((doc_count) => ({ key: 0, from: 7, to: 8, doc_count })) },
          least: { value: 7 },
          most: { value: 7 },
        },
      };
    };
    let reads = 0;
    class LimitedCounts extends SharedCounts {
      override read<T>(
        name: string,
        count: (signal: AbortSignal) => Promise<T>,
        signal: AbortSignal,
      ): Promise<T> {
        if (++reads > 50) throw new Error('the splits do not end');
        return super.read(name, count, signal);
      }
    }
    const counts = new LimitedCounts(new LRUCache<string, SharedCount>({ max: 10 }));
    const rankIndex = createRankIndex({ clauses: [], order: 'newest' }, { ...optionsWith(search), counts });
    const failure = await rankIndex.locate(4_000, 20).catch(String);
    expect(failure).to.include('a part of a range with 5000 items is not smaller than the range');
  });
});

import type { estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import fc from 'fast-check';
import { LRUCache } from 'lru-cache';
import { type SearchOrder, sortOf } from '../order/feed-order.ts';
import { VALUE_ORDERS } from '../order/value-order.ts';
import { SearchLimiter } from '../search-limiter.ts';
import { type SharedCount, SharedCounts } from '../shared-point-in-time.ts';
import { readDeepPage } from './deep-page.ts';
import { createRankIndex } from './rank-index.ts';

interface Item {
  id: string;
  key: number | null;
}
interface Query {
  bool?: { filter?: Query[]; must_not?: Query[] };
  exists?: object;
  range?: Record<string, Record<string, number | string>>;
}
type Range = { from: number | null; to: number | null };

/** Whether an item matches a query of the rank index. The item's key stands for the field of any order. */
function matches({ bool, exists, range }: Query, { id, key }: Item): boolean {
  if (exists) return key !== null;
  if (range) {
    const [[name, { gte, lt }] = ['', {} as { gte?: number | string; lt?: number | string }]] =
      Object.entries(range);
    const value = name === 'id' ? id : key;
    return value !== null && (gte === undefined || value >= gte) && (lt === undefined || value < lt);
  }
  const { filter = [], must_not = [] } = bool ?? {};
  return (
    filter.every((each) => matches(each, { id, key })) && !must_not.some((each) => matches(each, { id, key }))
  );
}

/** Computes Elasticsearch's counts for a few items. Sends each request through JSON, as the client does. */
function simulated(items: Item[], order: Exclude<SearchOrder, object>) {
  const sign = VALUE_ORDERS[order].direction === 'asc' ? 1 : -1;
  const rank = ({ key }: Item) => (key === null ? Number.POSITIVE_INFINITY : sign * key);
  const sorted = items.toSorted((a, b) => (rank(a) === rank(b) ? (a.id < b.id ? -1 : 1) : rank(a) - rank(b)));
  const search = async (request: estypes.SearchRequest) => {
    const { query, from = 0, size = 0, aggs = {} } = JSON.parse(JSON.stringify(request));
    const found = sorted.filter((item) => matches(query.function_score?.query ?? query, item));
    const keys = found.flatMap(({ key }) => key ?? []);
    const parts =
      aggs.parts?.range?.ranges.map(({ from: least, to }: Range) => ({
        from: least ?? undefined,
        to: to ?? undefined,
        doc_count: keys.filter((key) => key >= (least ?? key) && (to === null || key < to)).length,
      })) ??
      aggs.parts?.filters.filters.map((filter: Query) => ({
        doc_count: found.filter((item) => matches(filter, item)).length,
      }));
    return {
      hits: {
        total: { value: found.length, relation: 'eq' },
        hits: found
          .slice(from, from + size)
          .map(({ id, key }) => ({ _id: id, sort: [key, id], fields: { id: [id] } })),
      },
      aggregations: {
        least: { value: keys.length > 0 ? Math.min(...keys) : null },
        most: { value: keys.length > 0 ? Math.max(...keys) : null },
        ...(parts && { parts: { buckets: parts } }),
      },
    } as unknown as estypes.SearchResponse<never, never>;
  };
  return { search, sorted };
}

describe('deep pages of any order', () => {
  it('contain the items of their ranks, for any keys and ties', async () => {
    const price = fc.integer({ min: 1, max: 10 ** 17 }).map((cents) => cents / 100);
    const key = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(0.01, 99.9, 100, 100.01, 1e15) },
      { weight: 1, arbitrary: price },
      { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    );
    const keys = fc.array(fc.option(key, { freq: 5 }), { minLength: 1, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(
        keys,
        fc.constantFrom('newest' as const, 'price' as const, 'rating' as const),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        async (given, order, size, maxSkipped) => {
          const items = given.map((each, i): Item => ({ id: `item-${(i * 37) % 101}`, key: each }));
          const { search, sorted } = simulated(items, order);
          const matching = { clauses: [], order };
          const rankIndex = createRankIndex(matching, {
            maxSkipped,
            counts: new SharedCounts(new LRUCache<string, SharedCount>({ max: 200 })),
            distanceCountLimiter: new SearchLimiter({ limit: 1 }),
            search,
            signal: new AbortController().signal,
          });
          for (let from = 0; from <= items.length; from += size) {
            const request = { from, size, sort: sortOf(order) };
            const hits = await readDeepPage(request, matching, rankIndex, search);
            expect(hits.map(({ _id }) => _id)).to.deep.equal(
              sorted.slice(from, from + size).map(({ id }) => id),
            );
          }
          expect(await rankIndex.total()).to.equal(items.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});

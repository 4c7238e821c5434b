import type { estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import type { StoredItem } from '../../stored/stored-item.ts';
import { ANY_ITEM, searchAfterDistance, sortOf } from '../order/feed-order.ts';
import { type OrderRange, rangeStart } from '../order/key-range.ts';
import { PageTooLarge } from '../search-failure.ts';
import { readDeepPage } from './deep-page.ts';

const order = { lat: -23.5, lon: -46.6 };
const TOTAL = 10_000;
const SIZE = 20;
/** The rank of the first item of the ring. */
const RING_RANK = 5_000;
const ring = { by: 'distance', from: 9_000, below: 9_500, count: 500 } as const satisfies OrderRange;

/** An item of 100 bytes. */
const STORED: StoredItem = {
  head: Buffer.alloc(20),
  feedItem: Buffer.alloc(50),
  calendar: Buffer.alloc(30),
};

/** Stands in for Elasticsearch: item number `rank` has the distance 9,000 + `rank` - RING_RANK. */
class Index {
  readonly searches: { size: number; isSkipping: boolean }[] = [];
  maxItems = Number.POSITIVE_INFINITY;

  readonly search = async ({
    size = 0,
    search_after,
    _source,
  }: estypes.SearchRequest): Promise<estypes.SearchResponse<StoredItem>> => {
    this.searches.push({ size, isSkipping: _source === false });
    if (_source !== false && size > this.maxItems) throw new PageTooLarge(this.maxItems, 1);
    const after = Number(search_after?.[0]);
    const first = RING_RANK + Math.floor(after - ring.from) + 1;
    const hits = Array.from({ length: size }, (_, i) => ({
      _index: 'items',
      _id: `${first + i}`,
      _source: STORED,
      sort: [ring.from + first + i - RING_RANK, `${first + i}`],
    }));
    return { took: 1, timed_out: false, _shards: { total: 1, successful: 1, failed: 0 }, hits: { hits } };
  };
}

describe('deep page by distance', () => {
  let index: Index;
  beforeEach(() => {
    index = new Index();
  });
  const ranksAt = async (offset: number, size = SIZE): Promise<number[]> => {
    const rankIndex = {
      total: async () => TOTAL,
      locate: async () => ({ range: ring, offset }),
    };
    const request = { from: RING_RANK + offset, size, sort: sortOf(order) };
    const hits = await readDeepPage(request, { clauses: [ANY_ITEM], order }, rankIndex, index.search);
    return hits.map(({ _id }) => Number(_id));
  };
  const ranksFrom = (offset: number) => Array.from({ length: SIZE }, (_, i) => RING_RANK + offset + i);

  it('begins after the sort key of its ring', () => {
    expect(searchAfterDistance(rangeStart(ring) ?? 0)[0])
      .to.be.below(ring.from)
      .and.above(ring.from - 1);
  });

  it('reads a few extra items instead of searching twice', async () => {
    for (const offset of [0, 1, 40]) {
      index = new Index();
      expect(await ranksAt(offset)).to.deep.equal(ranksFrom(offset));
      expect(index.searches).to.deep.equal([{ size: offset + SIZE, isSkipping: false }]);
    }
  });

  it('skips many items without reading their documents', async () => {
    expect(await ranksAt(41)).to.deep.equal(ranksFrom(41));
    expect(index.searches).to.deep.equal([
      { size: 41, isSkipping: true },
      { size: SIZE, isSkipping: false },
    ]);
  });

  it('skips the extra items if they do not fit into memory together with the page', async () => {
    index.maxItems = SIZE;
    expect(await ranksAt(3)).to.deep.equal(ranksFrom(3));
    expect(index.searches.slice(1)).to.deep.equal([
      { size: 3, isSkipping: true },
      { size: SIZE, isSkipping: false },
    ]);
    index.maxItems = SIZE - 1;
    const failed = await ranksAt(0).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(PageTooLarge);
  });
});

describe('deep page in two ranges', () => {
  /** The rank of the first item of the second range. */
  const BOUNDARY = 5_010;
  const rankIndex = {
    total: async () => TOTAL,
    locate: async (rank: number) => ({
      range: { by: 'value', from: rank, below: TOTAL, count: 10 } as const,
      offset: rank < BOUNDARY ? BOUNDARY - rank - 10 : 0,
    }),
  };
  /** Reads 20 items of 100 bytes, 10 in each range, from an index that returns at most `limit` bytes. */
  const read = (limit: number) =>
    readDeepPage(
      { from: BOUNDARY - 10, size: SIZE, sort: sortOf('price') },
      { clauses: [ANY_ITEM], order: 'price' },
      rankIndex,
      async ({ size = 0 }, found) => {
        const left = limit - found;
        if (size * 100 > left) throw new PageTooLarge(Math.floor(left / 100), left);
        const hits = Array.from({ length: size }, () => ({
          _index: 'items',
          _source: STORED,
          sort: [1, 'a'],
        }));
        return { took: 1, timed_out: false, _shards: { total: 1, successful: 1, failed: 0 }, hits: { hits } };
      },
    );

  it('may have as many bytes as a page in one range', async () => {
    expect(await read(2_000)).to.have.lengthOf(SIZE);
    const failed = await read(1_999).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(PageTooLarge).and.include({ items: 19, limit: 1_999 });
  });
});

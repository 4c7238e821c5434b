import { expect } from 'chai';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../budget/request-budget.ts';
import { freshness } from '../cache/freshness.ts';
import { PageCache } from '../cache/page-cache.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { Problem } from '../contract/problem.ts';
import type { FeedQuery } from '../search/feed-query.ts';
import { PageTooLarge } from '../search/search-failure.ts';
import { SearchLimiter } from '../search/search-limiter.ts';
import type { FoundPage } from '../stored/found-page.ts';
import { createFeedReader } from './read-feed.ts';

describe('read feed', () => {
  const ITEMS = 50;
  let sizes: number[] = [];
  const memory = new SharedMemory(1e9);
  let settled: number[] = [];
  /** Simulates a search that finds at most `fitting` items, and fails if a request asks for more. */
  const readerOf = (fitting?: number, work = 0) => {
    sizes = [];
    settled = [];
    const page = async (
      { request: { size = 0 } }: FeedQuery,
      _: AbortSignal,
      budget: RequestBudget,
    ): Promise<FoundPage> => {
      sizes.push(size);
      await budget.worked(work);
      if (size > 2 && fitting === undefined) throw new PageTooLarge(size, 1);
      if (fitting !== undefined && size > fitting && size > 2)
        throw new PageTooLarge(fitting, 8 * 1024 * 1024);
      const items = Array.from({ length: Math.min(size, ITEMS) }, (_, n) => ({
        head: Buffer.alloc(0),
        feedItem: Buffer.from(`{"id":"${n}"}`),
        calendar: Buffer.from('[]'),
        position: { key: n, id: String(n) },
      }));
      return { total: ITEMS, items, offersByDate: [] };
    };
    const cache = new PageCache({
      maxBytes: 0,
      freshness: freshness(5, 300),
      flights: new SingleFlight(1_000),
      onRead: () => undefined,
      onFailure: () => undefined,
    });
    const search = { page };
    const limiter = new SearchLimiter({ limit: 1 });
    const read = createFeedReader({
      search,
      limiter,
      cache,
      newBudget: () => new RequestBudget({ ...PAGE_LIMITS, jsonCharacters: 5_000 }, memory),
      encoder: () => undefined,
      today: () => '2026-12-01',
      horizonDays: 90,
      localRadiusKm: 50,
    });
    return async (query: string) => {
      const { page: made } = await read('public-feed', undefined, query, new AbortController().signal, {
        settle: (requests) => settled.push(requests),
      });
      const { bytes } = made.existingBody(undefined) ?? expect.fail();
      return JSON.parse(bytes.toString()) as {
        data: { id: string }[];
        meta: { pageSize: number; pageCount: number; nextCursor?: string };
      };
    };
  };

  it('a cursor page contains the items that fit, and the next page continues after them', async () => {
    const { data, meta } = await readerOf(12)('cursor=*&pageSize=40');
    expect(data).to.have.lengthOf(11);
    expect(sizes).to.deep.equal([41, 12]);
    expect(meta).to.include({ pageSize: 40, pageCount: 2 }).and.to.have.property('nextCursor');
  });

  it('a cursor page contains one item if two do not fit', async () => {
    for (const fitting of [0, 1]) {
      const { data, meta } = await readerOf(fitting)('cursor=*&pageSize=40');
      expect([data.length, sizes]).to.deep.equal([1, [41, 2]]);
      expect(meta).to.have.property('nextCursor');
    }
  });

  it('a numbered page that is too large receives 400 with advice', async () => {
    const failure = await readerOf(12)('page=2&pageSize=40').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Problem).and.include({ type: 'page-too-large', status: 400 });
    expect(JSON.stringify((failure as Problem).details('')))
      .to.include('pageSize')
      .and.to.include('must be smaller, because these items exceed 8 MiB. Or use a cursor');
    expect(sizes).to.deep.equal([40]);
    expect(memory.held, 'the page gave its memory back').to.equal(0);
  });

  it('a page that shrinks ends after the number of searches in its budget', async () => {
    const failure = await readerOf()('cursor=*&pageSize=40').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Problem).and.include({ status: 400 });
    expect(sizes).to.have.lengthOf(PAGE_LIMITS.searches);
  });

  it('the work on calendars counts toward the rate limit of the client that starts it', async () => {
    const read = readerOf(50, 3 * 1024 * 1024);
    await Promise.all([read('cursor=*'), read('cursor=*')]);
    expect(settled).to.deep.equal([6]);
  });

  it('a page that fails costs the client its work', async () => {
    await readerOf(12, 1024 * 1024)('page=2&pageSize=40').catch(() => undefined);
    expect(settled).to.deep.equal([2]);
  });
});

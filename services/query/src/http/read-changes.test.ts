import { expect } from 'chai';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../budget/request-budget.ts';
import { freshness } from '../cache/freshness.ts';
import { PageCache } from '../cache/page-cache.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { Problem } from '../contract/problem.ts';
import type { ChangesSearch } from '../search/changes/changes-search.ts';
import { SearchLimiter } from '../search/search-limiter.ts';
import { CHANGES_FRESH_SECONDS, createChangesReader } from './read-changes.ts';

const { signal } = new AbortController();
const BASE = 'https://public.test/api';

describe('read changes', () => {
  let now = 0;
  let searches = 0;
  const memory = new SharedMemory(1e9);
  const readerOf = (page: ChangesSearch['page']) => {
    [now, searches] = [0, 0];
    const cache = new PageCache({
      maxBytes: 1_000_000,
      freshness: freshness(CHANGES_FRESH_SECONDS, 0),
      flights: new SingleFlight(1_000),
      onRead: () => undefined,
      onFailure: () => undefined,
      now: () => now,
    });
    const read = createChangesReader({
      search: {
        page: (...request) => {
          searches++;
          return page(...request);
        },
        exportNumber: async () => 0,
        close: async () => undefined,
      },
      limiter: new SearchLimiter({ limit: 1 }),
      cache,
      newBudget: () => new RequestBudget(PAGE_LIMITS, memory),
      encoder: () => undefined,
      license: 'https://license.test/',
      today: () => '2026-12-01',
    });
    return { read: (query = '') => read(query, BASE, signal), cache };
  };
  /** Elasticsearch takes `tookMs`, and the view was already `viewAgeMs` old. */
  const slow = (tookMs: number, viewAgeMs: number) =>
    readerOf(async () => {
      const shownAt = now - viewAgeMs;
      now += tookMs;
      return { kind: 'page', changes: [], isFull: false, upTo: 0, mayContinue: false, shownAt };
    });

  it('gives the memory of its budget back', async () => {
    let held = 0;
    const { read } = readerOf(async (_after, _limit, _signal, budget) => {
      budget.found(100);
      held = memory.held;
      return { kind: 'expired' };
    });
    expect(await read().catch((error: unknown) => error)).to.be.instanceOf(Problem);
    expect([held, memory.held]).to.deep.equal([100, 0]);
  });

  it('serves a page from the cache until its view is 2 s old', async () => {
    const { read, cache } = slow(100, 900);
    const { key, ageSeconds } = await read();
    expect(ageSeconds).to.equal(1);
    now = 1_099;
    expect(cache.peek(key)).to.include({ ageSeconds: 1 });
    expect((await read()).outcome).to.equal('fresh');
    now = 1_100;
    expect(cache.peek(key)).to.equal(undefined);
    await read();
    expect(searches).to.equal(2);
  });

  it('states the whole age of a page if Elasticsearch is slow, and searches again for the next request', async () => {
    const { read, cache } = slow(2_500, 800);
    const { key, ageSeconds } = await read();
    expect(ageSeconds).to.equal(3);
    expect(cache.peek(key)).to.equal(undefined);
    expect((await read()).outcome).to.equal('miss');
  });

  it('`next` contains the parameters of the contract in their plain form, and no other', async () => {
    const { read } = slow(1, 0);
    const nextOf = async (query: string) => {
      const { bytes } = (await read(query)).page.existingBody(undefined) ?? expect.fail();
      return (JSON.parse(bytes.toString()) as { next: string }).next;
    };
    expect(await nextOf('utm=%E2%82%AC&limit=07&x=1&afterChangeNumber=00012')).to.equal(
      `${BASE}/changes?afterChangeNumber=12&limit=7`,
    );
    expect(await nextOf('utm=1')).to.equal(`${BASE}/changes`);
  });

  it('lets other caches keep a page for an hour only if it is full and begins after a change', async () => {
    const cacheControlOf = async (query: string, isFull: boolean) => {
      const { read } = readerOf(async () => ({
        kind: 'page',
        changes: [],
        isFull,
        upTo: 0,
        mayContinue: false,
        shownAt: 0,
      }));
      return (await read(query)).page.cacheControl;
    };
    expect(await cacheControlOf('afterChangeNumber=1', true)).to.equal('public, max-age=3600');
    expect(await cacheControlOf('afterChangeNumber=1', false)).to.equal('public, max-age=2');
    for (const query of ['', 'limit=1', 'afterChangeNumber=0'])
      expect(await cacheControlOf(query, true), query).to.equal('public, max-age=2');
  });

  it('sends a client whose change number has expired to the export', async () => {
    const { read } = readerOf(async () => ({ kind: 'expired' }));
    const error = await read('afterChangeNumber=1&x=1').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Problem).and.include({ status: 410 });
    expect((error as Problem).headers).to.include({ Link: `<${BASE}/export>; rel="start"` });
  });
});

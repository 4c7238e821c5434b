import { mock } from 'node:test';
import { expect } from 'chai';
import { Problem } from '../contract/problem.ts';
import { freshness } from './freshness.ts';
import { Page } from './page.ts';
import { type CacheOutcome, PageCache } from './page-cache.ts';
import { SingleFlight } from './single-flight.ts';

describe('page cache', () => {
  let now = 0;
  let outcomes: CacheOutcome[] = [];
  let failures: unknown[] = [];
  const staying = new AbortController().signal;
  const cacheOf = (maxBytes = 1_000_000, kept = freshness(5, 300)) => {
    [now, outcomes, failures] = [0, [], []];
    return new PageCache({
      maxBytes,
      freshness: kept,
      flights: new SingleFlight(10_000),
      onRead: (outcome) => outcomes.push(outcome),
      onFailure: (error) => failures.push(error),
      now: () => now,
    });
  };
  const page = (content: string, etag = content) => new Page({ body: Buffer.from(content), etag });
  const gives = (content: string) => async () => page(content);
  const fails = () => Promise.reject(new Error('down'));
  const never = () => new Promise<Page>(() => undefined);
  const textOf = ({ page }: { page: Page }) => page.existingBody(undefined)?.bytes.toString();
  const A = { criteria: 'a', dateVariant: '' };
  /** A search that ends when the test calls `end` or `fail`. */
  const pending = () => {
    const { promise, resolve, reject } = Promise.withResolvers<Page>();
    return {
      make: () => promise,
      end: (content: string) => resolve(page(content)),
      fail: () => reject(new Error('down')),
    };
  };
  const settled = () => new Promise(setImmediate);
  afterEach(() => mock.timers.reset());

  it('serves a fresh page without a search', async () => {
    const cache = cacheOf();
    expect(cache.peek(A)).to.equal(undefined);
    await cache.read(A, gives('one'), staying);
    now = 4_999;
    const peeked = cache.peek(A);
    expect(peeked).to.include({ ageSeconds: 4 });
    if (peeked) cache.count(peeked);
    expect(textOf(await cache.read(A, gives('two'), staying))).to.equal('one');
    expect(outcomes).to.deep.equal(['miss', 'fresh', 'fresh']);
  });

  it('counts the age of a page from the state that it shows, even if the search is slow', async () => {
    const cache = cacheOf(1_000_000, freshness(2, 0));
    const made = (content: string, shownAt: number, madeAt: number) => async () => {
      now = madeAt;
      return new Page({ body: Buffer.from(content), etag: content }, undefined, shownAt);
    };
    now = 10_000;
    expect((await cache.read(A, made('slow', 9_100, 11_200), staying)).ageSeconds).to.equal(2);
    expect(cache.peek(A), 'a page older than 2 s').to.equal(undefined);
    expect((await cache.read(A, made('quick', 10_500, 11_300), staying)).ageSeconds).to.equal(0);
    now = 12_499;
    expect(cache.peek(A)).to.include({ ageSeconds: 1 });
    now = 12_500;
    expect(cache.peek(A)).to.equal(undefined);
  });

  it('serves the refreshed page if the refresh is quick', async () => {
    const cache = cacheOf();
    await cache.read(A, gives('one'), staying);
    now = 8_000;
    expect(cache.peek(A), 'a refresh is necessary').to.equal(undefined);
    const refreshed = await cache.read(A, gives('two'), staying);
    expect([textOf(refreshed), refreshed.ageSeconds]).to.deep.equal(['two', 0]);
    expect(outcomes).to.deep.equal(['miss', 'miss']);
  });

  it('reports the age of the search to a request that joins it late', async () => {
    const cache = cacheOf();
    const search = pending();
    const first = cache.read(A, search.make, staying);
    now = 4_000;
    const joined = cache.read(A, never, staying);
    await settled();
    search.end('one');
    expect([(await first).ageSeconds, (await joined).ageSeconds, cache.peek(A)?.ageSeconds]).to.deep.equal([
      4, 4, 4,
    ]);
  });

  it('serves a stale page if its refresh takes longer, and waits once per refresh', async () => {
    const cache = cacheOf();
    await cache.read(A, gives('one'), staying);
    now = 8_000;
    const started = performance.now();
    const { make, end } = pending();
    const waiting = cache.read(A, make, staying);
    now = 8_051;
    expect(cache.peek(A), 'no second wait').to.include({ ageSeconds: 8, outcome: 'stale' });
    expect(textOf(await cache.read(A, never, staying)), 'no second wait for the same refresh').to.equal(
      'one',
    );
    const stale = await waiting;
    expect(performance.now() - started, 'milliseconds').to.be.at.least(40);
    expect([textOf(stale), stale.ageSeconds, stale.outcome]).to.deep.equal(['one', 8, 'stale']);
    end('two');
    await settled();
    expect(cache.peek(A)).to.include({ ageSeconds: 0, outcome: 'fresh' });
    now = 14_000;
    expect(
      textOf(await cache.read(A, gives('three'), staying)),
      'a request waits for the next refresh again',
    ).to.equal('three');
  });

  it('serves a stale page if its refresh fails', async () => {
    const cache = cacheOf();
    await cache.read(A, gives('one'), staying);
    now = 8_000;
    expect(textOf(await cache.read(A, fails, staying))).to.equal('one');
    expect(failures).to.have.lengthOf(1);
    now = 9_100;
    expect(textOf(await cache.read(A, gives('two'), staying))).to.equal('two');
  });

  it('forgets a page whose refresh is a refusal of the request, which is no failure', async () => {
    const cache = cacheOf();
    await cache.read(A, gives('one'), staying);
    now = 8_000;
    const refuses = () => Promise.reject(new Problem('page-too-large', 'too large'));
    await cache.read(A, refuses, staying);
    expect([failures, cache.peek(A)]).to.deep.equal([[], undefined]);
    const error = await cache.read(A, refuses, staying).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Problem).and.include({ status: 400 });
  });

  it('in the stale-if-error state, serves the cached page if the refresh fails', async () => {
    const cache = cacheOf();
    await cache.read(A, gives('one'), staying);
    now = 20_000;
    expect(textOf(await cache.read(A, gives('two'), staying))).to.equal('two');
    now = 320_000;
    expect(textOf(await cache.read(A, fails, staying))).to.equal('two');
    expect(failures).to.have.lengthOf(1);
    expect(cache.peek(A), 'no immediate second attempt').to.include({ ageSeconds: 300 });
    now = 321_500;
    expect(cache.peek(A), 'tried again').to.equal(undefined);
  });

  it('in the stale-if-error state, all requests wait at most one second per refresh', async () => {
    const cache = cacheOf();
    await cache.read(A, gives('one'), staying);
    now = 20_000;
    mock.timers.enable({ apis: ['setTimeout'] });
    let isOver = false;
    const waiting = cache.read(A, never, staying).finally(() => {
      isOver = true;
    });
    now = 21_000;
    // No timer fires, so a request that waited would never end.
    expect(textOf(await cache.read(A, never, staying))).to.equal('one');
    mock.timers.tick(999);
    await settled();
    expect(isOver).to.equal(false);
    mock.timers.tick(1);
    expect(textOf(await waiting)).to.equal('one');
  });

  it('serves no expired pages', async () => {
    const cache = cacheOf();
    await cache.read(A, gives('one'), staying);
    now = 305_000;
    expect(await cache.read(A, fails, staying).catch((error: Error) => error.message)).to.equal('down');
  });

  it('does not cache a failure', async () => {
    const cache = cacheOf();
    expect(await cache.read(A, fails, staying).catch((error: Error) => error.message)).to.equal('down');
    expect(textOf(await cache.read(A, gives('one'), staying))).to.equal('one');
  });

  it('keeps the bytes and encodings of an unchanged page, with a new age', async () => {
    const cache = cacheOf();
    const first = await cache.read(A, async () => page('made at 0', 'same'), staying);
    now = 20_000;
    const second = await cache.read(A, async () => page('made at 20', 'same'), staying);
    expect(second.page).to.equal(first.page);
    const third = cache.peek(A);
    expect([third?.page, third?.ageSeconds]).to.deep.equal([first.page, 0]);
  });

  it('limits its size in bytes, including encodings', async () => {
    const cache = cacheOf(20_000);
    const named = (i: number) => ({ criteria: `key-${i}`, dateVariant: '' });
    for (let i = 0; i < 50; i++) {
      const { page: kept } = await cache.read(named(i), gives('x'.repeat(2_000)), staying);
      await kept.body('gzip');
      cache.updateSize(named(i), kept);
      expect(cache.size).to.be.below(20_001);
    }
    expect([cache.peek(named(0)), cache.peek(named(49)) === undefined]).to.deep.equal([undefined, false]);
    const before = cache.size;
    const last = cache.peek(named(49))?.page as Page;
    await last.body('br');
    cache.updateSize(named(49), last);
    expect(cache.size).to.be.above(before);
  });

  it('caches nothing if its size is 0', async () => {
    const cache = cacheOf(0);
    await cache.read(A, gives('one'), staying);
    expect(cache.peek(A)).to.equal(undefined);
    expect(textOf(await cache.read(A, gives('two'), staying))).to.equal('two');
  });

  describe('at midnight', () => {
    const [YESTERDAY, TODAY] = [
      { criteria: 'a', dateVariant: '2026-11-30' },
      { criteria: 'a', dateVariant: '2026-12-01' },
    ];

    it('keeps a page that does not depend on the date', async () => {
      const cache = cacheOf();
      await cache.read(A, gives('one'), staying);
      now = 1_000;
      expect(cache.peek({ ...A })).to.include({ outcome: 'fresh', ageSeconds: 1 });
    });

    it("never serves yesterday's page as fresh: it refreshes it like a stale page", async () => {
      const cache = cacheOf();
      await cache.read(YESTERDAY, gives('yesterday'), staying);
      now = 1_000;
      expect(cache.peek(YESTERDAY)).to.include({ outcome: 'fresh' });
      expect(cache.peek(TODAY)).to.equal(undefined);
      expect(textOf(await cache.read(TODAY, gives('today'), staying))).to.equal('today');
      expect(cache.peek(TODAY)).to.include({ outcome: 'fresh', ageSeconds: 0 });
    });

    it("serves yesterday's page as stale if the refresh fails", async () => {
      const cache = cacheOf();
      await cache.read(YESTERDAY, gives('yesterday'), staying);
      now = 1_000;
      const served = await cache.read(TODAY, fails, staying);
      expect([textOf(served), served.outcome, served.ageSeconds]).to.deep.equal(['yesterday', 'stale', 5]);
      expect(cache.peek(TODAY), 'no attempt for one second').to.include({ outcome: 'stale', ageSeconds: 5 });
      now = 305_000;
      expect(await cache.read(TODAY, fails, staying).catch((error: Error) => error.message)).to.equal('down');
    });

    it('does not share a search from before midnight with a request after midnight', async () => {
      const cache = cacheOf();
      const [before, after] = [pending(), pending()];
      const reads = [cache.read(YESTERDAY, before.make, staying), cache.read(TODAY, after.make, staying)];
      after.end('today');
      before.end('yesterday');
      expect((await Promise.all(reads)).map(textOf)).to.deep.equal(['yesterday', 'today']);
    });

    it("keeps today's page if yesterday's search ends last", async () => {
      const cache = cacheOf();
      const [before, after] = [pending(), pending()];
      const late = cache.read(YESTERDAY, before.make, staying);
      now = 1;
      const early = cache.read(TODAY, after.make, staying);
      after.end('today');
      await early;
      before.end('yesterday');
      await late;
      expect(textOf(cache.peek(TODAY) ?? expect.fail('nothing is kept'))).to.equal('today');
    });

    it("serves none of yesterday's pages if stale pages are disabled", async () => {
      const cache = cacheOf(1_000_000, freshness(5, 0));
      await cache.read(YESTERDAY, gives('yesterday'), staying);
      expect(await cache.read(TODAY, fails, staying).catch((error: Error) => error.message)).to.equal('down');
    });
  });
});

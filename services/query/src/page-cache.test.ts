import { expect } from 'chai';
import { freshness } from './freshness.ts';
import { Page } from './page.ts';
import { type Outcome, PageCache } from './page-cache.ts';
import { SingleFlight } from './single-flight.ts';

describe('page cache', () => {
  let now = 0;
  let outcomes: Outcome[] = [];
  let failures: unknown[] = [];
  const staying = new AbortController().signal;
  const cacheOf = (maxBytes = 1_000_000) => {
    [now, outcomes, failures] = [0, [], []];
    return new PageCache({
      maxBytes,
      freshness: freshness(5, 300),
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
  const textOf = ({ page }: { page: Page }) => page.ready(undefined)?.bytes.toString();
  const settled = () => new Promise(setImmediate);

  it('serves what is fresh without asking', async () => {
    const cache = cacheOf();
    expect(cache.peek('a')).to.equal(undefined);
    await cache.read('a', gives('one'), staying);
    now = 4_999;
    const peeked = cache.peek('a');
    expect(peeked).to.include({ ageSeconds: 4 });
    if (peeked) cache.count(peeked);
    expect(textOf(await cache.read('a', gives('two'), staying))).to.equal('one');
    expect(outcomes).to.deep.equal(['made', 'fresh', 'fresh']);
  });

  it('serves what is stale while it is made anew', async () => {
    const cache = cacheOf();
    await cache.read('a', gives('one'), staying);
    now = 6_000;
    expect(cache.peek('a'), 'somebody has to make it anew').to.equal(undefined);
    const stale = await cache.read('a', gives('two'), staying);
    expect([textOf(stale), stale.ageSeconds]).to.deep.equal(['one', 6]);
    await settled();
    expect(textOf(await cache.read('a', fails, staying))).to.equal('two');
    expect(outcomes).to.deep.equal(['made', 'stale', 'fresh']);
  });

  it('waits for a new one where what is there is old, and serves the old one where there is none', async () => {
    const cache = cacheOf();
    await cache.read('a', gives('one'), staying);
    now = 20_000;
    expect(textOf(await cache.read('a', gives('two'), staying))).to.equal('two');
    now = 320_000;
    expect(textOf(await cache.read('a', fails, staying))).to.equal('two');
    expect(failures).to.have.lengthOf(1);
    expect(cache.peek('a'), 'not tried again at once').to.include({ ageSeconds: 300 });
    now = 321_500;
    expect(cache.peek('a'), 'tried again').to.equal(undefined);
  });

  it('waits a second for a new one, and those who come later not even that', async () => {
    const cache = cacheOf();
    await cache.read('a', gives('one'), staying);
    now = 20_000;
    const started = performance.now();
    const waiting = cache.read('a', never, staying);
    now = 21_000;
    expect(textOf(await cache.read('a', never, staying))).to.equal('one');
    expect(performance.now() - started).to.be.below(500);
    expect(textOf(await waiting)).to.equal('one');
    expect(performance.now() - started).to.be.within(900, 3_000);
  });

  it('serves nothing that is older than its bound', async () => {
    const cache = cacheOf();
    await cache.read('a', gives('one'), staying);
    now = 305_000;
    expect(await cache.read('a', fails, staying).catch((error: Error) => error.message)).to.equal('down');
  });

  it('keeps no failure', async () => {
    const cache = cacheOf();
    expect(await cache.read('a', fails, staying).catch((error: Error) => error.message)).to.equal('down');
    expect(textOf(await cache.read('a', gives('one'), staying))).to.equal('one');
  });

  it('keeps the bytes and codings of what has not changed, with a new age', async () => {
    const cache = cacheOf();
    const first = await cache.read('a', async () => page('made at 0', 'same'), staying);
    now = 20_000;
    const second = await cache.read('a', async () => page('made at 20', 'same'), staying);
    expect(second.page).to.equal(first.page);
    const third = cache.peek('a');
    expect([third?.page, third?.ageSeconds]).to.deep.equal([first.page, 0]);
  });

  it('is bounded by bytes, codings included', async () => {
    const cache = cacheOf(20_000);
    for (let i = 0; i < 50; i++) {
      const { page: kept } = await cache.read(`key-${i}`, gives('x'.repeat(2_000)), staying);
      await kept.in('gzip');
      cache.grown(`key-${i}`, kept);
      expect(cache.size).to.be.below(20_001);
    }
    expect([cache.peek('key-0'), cache.peek('key-49') === undefined]).to.deep.equal([undefined, false]);
    const before = cache.size;
    const last = cache.peek('key-49')?.page as Page;
    await last.in('br');
    cache.grown('key-49', last);
    expect(cache.size).to.be.above(before);
  });

  it('keeps nothing where it may not', async () => {
    const cache = cacheOf(0);
    await cache.read('a', gives('one'), staying);
    expect(cache.peek('a')).to.equal(undefined);
    expect(textOf(await cache.read('a', gives('two'), staying))).to.equal('two');
  });
});

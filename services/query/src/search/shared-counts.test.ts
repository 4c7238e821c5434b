import { setImmediate as settled } from 'node:timers/promises';
import { expect } from 'chai';
import { LRUCache } from 'lru-cache';
import { FeedUnavailable } from './search-failure.ts';
import { type SharedCount, SharedCounts } from './shared-point-in-time.ts';

describe('shared counts', () => {
  const forever = new AbortController().signal;
  const create = () => new SharedCounts(new LRUCache<string, SharedCount>({ max: 10 }));
  const failure = (given: Promise<unknown>) =>
    given.then(
      () => expect.fail('resolved'),
      (error: unknown) => error,
    );
  /** A search that the test ends, and whether it was cancelled. */
  const search = () => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const stops: AbortSignal[] = [];
    const count = (stop: AbortSignal) => {
      stops.push(stop);
      return promise;
    };
    return {
      count,
      resolve,
      reject,
      isCancelled: () => stops.every(({ aborted }) => aborted),
      starts: () => stops.length,
    };
  };

  it('keep no names, because a name can contain the ids of thousands of items', async () => {
    const stored = new LRUCache<string, SharedCount>({ max: 10 });
    const counts = new SharedCounts(stored);
    const name = 'x'.repeat(1_000_000);
    expect(await counts.read(`${name}a`, async () => 1, forever)).to.equal(1);
    expect(await counts.read(`${name}b`, async () => 2, forever)).to.equal(2);
    expect(await counts.read(`${name}a`, async () => 3, forever)).to.equal(1);
    for (const key of stored.keys()) expect(key).to.have.length.below(100);
  });

  it('count once for all pages, and again after a failure', async () => {
    const counts = create();
    let made = 0;
    const make = async () => {
      made++;
      await Promise.resolve();
      if (made === 1) throw new Error('late');
      return made;
    };
    const first = await Promise.allSettled([
      counts.read('a', make, forever),
      counts.read('a', make, forever),
    ]);
    expect(first.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(
      await Promise.all([counts.read('a', make, forever), counts.read('a', make, forever)]),
    ).to.deep.equal([2, 2]);
    expect(await counts.read('b', make, forever)).to.equal(3);
  });

  it('continue for the other pages when one page gives up', async () => {
    const counts = create();
    const { count, resolve, isCancelled } = search();
    const leaving = new AbortController();
    const left = counts.read('a', count, leaving.signal);
    const staying = counts.read('a', count, forever);
    leaving.abort();
    expect(await failure(left)).to.be.instanceOf(FeedUnavailable);
    expect(isCancelled()).to.equal(false);
    resolve(7);
    expect(await staying).to.equal(7);
  });

  it('are cancelled when the last page gives up; a later page counts again', async () => {
    const counts = create();
    const first = search();
    const pages = [new AbortController(), new AbortController()];
    let ended = 0;
    const left = pages.map(({ signal }) =>
      failure(counts.read('a', first.count, signal)).then(() => ended++),
    );
    for (const page of pages) page.abort();
    await settled();
    expect(first.isCancelled()).to.equal(true);
    expect(ended, 'only the page that left first has ended').to.equal(1);
    const second = search();
    const later = counts.read('a', second.count, forever);
    expect(second.starts()).to.equal(1);
    first.reject(new Error('cancelled'));
    await Promise.all(left);
    second.resolve(2);
    expect(await later).to.equal(2);
    expect(await counts.read('a', search().count, forever), 'is kept').to.equal(2);
  });

  it('cancel at once for a page that has already given up', async () => {
    const counts = create();
    const { count, reject, isCancelled } = search();
    const left = failure(counts.read('a', count, AbortSignal.abort()));
    await settled();
    expect(isCancelled()).to.equal(true);
    reject(new Error('cancelled'));
    expect(await left).to.be.instanceOf(FeedUnavailable);
  });
});

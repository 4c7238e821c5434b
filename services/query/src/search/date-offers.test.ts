import { setImmediate as settled } from 'node:timers/promises';
import { expect } from 'chai';
import { LRUCache } from 'lru-cache';
import type { DateOffers } from '../stored/found-page.ts';
import { offersOf, readDateOffers } from './date-offers.ts';
import { ANY_ITEM, type Clause } from './order/feed-order.ts';
import { FeedUnavailable } from './search-failure.ts';
import { type SharedCount, SharedCounts } from './shared-point-in-time.ts';

const forever = new AbortController().signal;
const offersAt = (date: string): DateOffers => ({ date, items: 1, minPrice: 5, maxPrice: 9 });

/** Searches that the test ends. */
class Searches {
  readonly started: { dates: readonly string[]; signal: AbortSignal }[] = [];
  readonly #results: PromiseWithResolvers<DateOffers[]>[] = [];

  readonly count = (dates: readonly string[], signal: AbortSignal): Promise<DateOffers[]> => {
    const result = Promise.withResolvers<DateOffers[]>();
    this.#results.push(result);
    this.started.push({ dates, signal });
    return result.promise;
  };

  end(search: number, without: string[] = []): void {
    const dates = this.started[search]?.dates.filter((date) => !without.includes(date)) ?? [];
    this.#results[search]?.resolve(dates.map(offersAt));
  }

  fail(search: number): void {
    this.#results[search]?.reject(new Error('late'));
  }
}

describe('date offers', () => {
  let searches: Searches;
  let counts: SharedCounts;
  beforeEach(() => {
    searches = new Searches();
    counts = new SharedCounts(new LRUCache<string, SharedCount>({ max: 100 }));
  });
  const read = (dates: string[], signal = forever, query: Clause = ANY_ITEM) =>
    readDateOffers(query, dates, counts, searches.count, signal);
  const searched = () => searches.started.map(({ dates }) => dates);

  it('of all missing dates come from one search, and a later page counts only its new dates', async () => {
    const first = read(['01', '02', '03']);
    searches.end(0, ['02']);
    expect(await first).to.deep.equal([offersAt('01'), offersAt('03')]);
    const second = read(['02', '03', '04']);
    searches.end(1);
    expect(await second).to.deep.equal([offersAt('03'), offersAt('04')]);
    expect(await read(['01', '04'])).to.deep.equal([offersAt('01'), offersAt('04')]);
    expect(searched()).to.deep.equal([['01', '02', '03'], ['04']]);
  });

  it('of other filters are counted separately', () => {
    void read(['01']);
    void read(['01'], forever, { term: { city: 'x' } });
    expect(searched()).to.deep.equal([['01'], ['01']]);
  });

  it('of a search in progress are shared', async () => {
    const first = read(['01', '02']);
    const second = read(['02', '03']);
    expect(searched()).to.deep.equal([['01', '02'], ['03']]);
    searches.end(1);
    searches.end(0);
    expect(await first).to.deep.equal([offersAt('01'), offersAt('02')]);
    expect(await second).to.deep.equal([offersAt('02'), offersAt('03')]);
  });

  it('need no search for a page without dates', async () => {
    expect(await read([])).to.deep.equal([]);
    expect(searched()).to.deep.equal([]);
  });

  it('are searched until no page waits for any of the dates', async () => {
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const left = read(['01', '02'], leaving.signal).catch((error: unknown) => error);
    const stayed = read(['02'], staying.signal).catch((error: unknown) => error);
    leaving.abort();
    await settled();
    expect(searches.started[0]?.signal.aborted).to.equal(false);
    staying.abort();
    await settled();
    expect(searches.started[0]?.signal.aborted).to.equal(true);
    searches.fail(0);
    expect(await left).to.be.instanceOf(FeedUnavailable);
    expect(await stayed).to.be.instanceOf(FeedUnavailable);
  });

  it('that a search could not count are counted again', async () => {
    const first = read(['01', '02']).catch((error: Error) => error.message);
    searches.fail(0);
    expect(await first).to.equal('late');
    const second = read(['01']);
    searches.end(1);
    expect(await second).to.deep.equal([offersAt('01')]);
  });

  it('leave out the dates without items', () => {
    const buckets = {
      '01': { doc_count: 0, prices: { min: Number.NaN, max: Number.NaN } },
      '02': { doc_count: 2, prices: { min: 5, max: 9 } },
    };
    expect(offersOf({ offers: { dates: { buckets } } })).to.deep.equal([{ ...offersAt('02'), items: 2 }]);
  });
});

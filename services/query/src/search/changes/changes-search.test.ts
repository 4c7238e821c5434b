import { type ChangesHistory, changeNumber } from '@vitrine/feed-index';
import { expect } from 'chai';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../../budget/request-budget.ts';
import { FeedUnavailable, PageTooLarge } from '../search-failure.ts';
import { SearchLimiter } from '../search-limiter.ts';
import type { ChangesClient, EntryRange } from './changes-client.ts';
import { type Admit, createChangesSearch } from './changes-search.ts';

const { signal } = new AbortController();
const budget = () => new RequestBudget(PAGE_LIMITS, new SharedMemory(1e9));
const CHECKPOINT = 40;
const NO_HISTORY: ChangesHistory = { transitions: [], kept: [] };

/** A client for changes indices with these entries, given as sequence numbers by generation. */
function clientWith(entries: Record<number, number[]>, history = NO_HISTORY, epoch = 1, generation = 1) {
  const ranges: EntryRange[] = [];
  const lookedUp: string[][] = [];
  const fake = {
    maxItems: Number.POSITIVE_INFINITY,
    maxEntries: Number.POSITIVE_INFINITY,
    live: async () => ({ epoch, generation }),
    history: async () => history,
    checkpoint: async () => CHECKPOINT,
    refresh: async (of: number) => of in entries,
    openChanges: async (of: number) => String(of),
    close: async () => undefined,
    async entries(pointInTime: string, range: EntryRange, size: number) {
      if (size > fake.maxEntries) throw new PageTooLarge(fake.maxEntries, 1);
      ranges.push(range);
      const found = (entries[Number(pointInTime)] ?? [])
        .filter((sequence) => sequence > range.after && sequence <= range.upTo)
        .slice(0, size)
        .map((sequence) => ({ id: `l-${sequence}`, sequence, entry: { state: 'updated', at: sequence } }));
      return { entries: found };
    },
    async lookUp(_: number, ids: string[]) {
      if (ids.length > fake.maxItems) throw new PageTooLarge(fake.maxItems, 1);
      lookedUp.push(ids);
      return new Map(ids.filter((id) => id !== 'l-7').map((id) => [id, { id, data: [] }]));
    },
  };
  return { fake, ranges, lookedUp, search: createChangesSearch(fake as unknown as ChangesClient, fake) };
}

const numbersOf = async (page: ReturnType<ReturnType<typeof createChangesSearch>['page']>) => {
  const found = await page;
  return found.kind === 'page' ? found.changes.map(({ modified }) => modified) : found.kind;
};

describe('search for changes', () => {
  it('serves no entry above the checkpoint, which a failover could take back', async () => {
    const { search, ranges } = clientWith({ 1: [39, 40, 41] });
    expect(await numbersOf(search.page(0, 10, signal, budget()))).to.deep.equal(
      [39, 40].map((n) => changeNumber(1, n)),
    );
    expect(ranges).to.deep.equal([{ after: -1, upTo: CHECKPOINT }]);
    expect(await numbersOf(search.page(changeNumber(1, 40), 10, signal, budget()))).to.deep.equal([]);
  });

  it('fills a page only if it reaches the limit, and serves an entry without an item as deleted', async () => {
    const { search } = clientWith({ 1: [5, 6, 7] });
    const full = await search.page(0, 3, signal, budget());
    expect(full).to.include({ kind: 'page', isFull: true });
    expect(full.kind === 'page' && full.changes.map(({ id, item }) => [id, item?.id])).to.deep.equal([
      ['l-5', 'l-5'],
      ['l-6', 'l-6'],
      ['l-7', undefined],
    ]);
    expect(await search.page(0, 4, signal, budget())).to.include({ isFull: false });
  });

  it('is shorter if its entries are too large for one response, and the next page continues after it', async () => {
    const { search, fake } = clientWith({ 1: [1, 2, 3, 4, 5] });
    fake.maxEntries = 3;
    const first = await search.page(0, 4, signal, budget());
    expect(first).to.include({ isFull: false, mayContinue: true, upTo: changeNumber(1, 2) });
    expect(await numbersOf(search.page(changeNumber(1, 2), 4, signal, budget()))).to.deep.equal(
      [3, 4].map((n) => changeNumber(1, n)),
    );
    fake.maxEntries = 0;
    const failure = await search.page(0, 4, signal, budget()).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(PageTooLarge);
  });

  it('states the time of the view, before any request to Elasticsearch, on all pages of this view', async () => {
    const { search, fake } = clientWith({ 1: [5] });
    let asked = Number.POSITIVE_INFINITY;
    fake.live = async () => {
      asked = performance.now();
      return { epoch: 1, generation: 1 };
    };
    const pages = [
      await search.page(0, 1, signal, budget()),
      await search.page(changeNumber(1, 5), 1, signal, budget()),
    ];
    const [filled, empty] = pages.map((page) => (page.kind === 'page' ? page.shownAt : Number.NaN));
    expect(filled).to.be.at.most(asked);
    expect(empty).to.equal(filled);
  });

  it('shortens a page whose items are too large', async () => {
    const { search, fake, lookedUp } = clientWith({ 1: [1, 2, 3, 4, 5, 6] });
    fake.maxItems = 2;
    const page = await search.page(0, 6, signal, budget());
    expect(page).to.include({ isFull: false });
    expect(lookedUp).to.deep.equal([['l-1', 'l-2']]);
  });

  it('waits for its view outside the limit of pages, so a slow refresh takes no place from other pages', async () => {
    const { search, fake } = clientWith({ 1: [5] });
    const refreshed = Promise.withResolvers<boolean>();
    const asked = Promise.withResolvers<void>();
    fake.refresh = () => {
      asked.resolve();
      return refreshed.promise;
    };
    const limiter = new SearchLimiter({ limit: 1 });
    const admit: Admit = (work) => limiter.pass(work, signal);
    const page = search.page(0, 1, signal, budget(), {}, admit);
    await asked.promise;
    expect(limiter.running).to.equal(0);
    const { entries } = fake;
    let running = 0;
    fake.entries = (...request) => {
      running = limiter.running;
      return entries(...request);
    };
    refreshed.resolve(true);
    expect(await numbersOf(page)).to.deep.equal([changeNumber(1, 5)]);
    expect([running, limiter.running]).to.deep.equal([1, 0]);
  });

  it('keeps nothing for a client that leaves while the point in time of an older generation opens', async () => {
    const at = new Date().toISOString();
    const after = { epoch: 1, generation: 1 };
    const transition = { epoch: 2, generation: 2, after, handover: { from: 9, to: 3 }, at };
    const { search, fake } = clientWith({ 1: [8, 9], 2: [4] }, { transitions: [transition], kept: [] }, 2, 2);
    const refreshed = Promise.withResolvers<boolean>();
    const leaving = new AbortController();
    fake.refresh = async (generation) => {
      if (generation === 2) return true;
      leaving.abort();
      return refreshed.promise;
    };
    const left = await search
      .page(changeNumber(1, 7), 10, leaving.signal, budget())
      .catch((error: unknown) => error);
    expect(left).to.be.instanceOf(FeedUnavailable);
    refreshed.resolve(true);
    await search.close();
  });

  it('serves entries of one generation per page, and continues in the next one', async () => {
    const at = new Date().toISOString();
    const transition = {
      epoch: 2,
      generation: 2,
      after: { epoch: 1, generation: 1 },
      handover: { from: 9, to: 3 },
      at,
    };
    const history = { transitions: [transition], kept: [] };
    const { search } = clientWith({ 1: [8, 9, 10], 2: [3, 4] }, history, 2, 2);
    expect(await numbersOf(search.page(changeNumber(1, 7), 10, signal, budget()))).to.deep.equal(
      [8, 9].map((n) => changeNumber(1, n)),
    );
    expect(await numbersOf(search.page(changeNumber(1, 9), 10, signal, budget()))).to.deep.equal([
      changeNumber(2, 4),
    ]);
    const pruned = clientWith({ 2: [3, 4] }, history, 2, 2).search;
    expect(await numbersOf(pruned.page(changeNumber(1, 7), 10, signal, budget()))).to.equal('expired');
    expect(await numbersOf(pruned.page(changeNumber(1, 9), 10, signal, budget()))).to.deep.equal([
      changeNumber(2, 4),
    ]);
  });
});

describe('number of an export', () => {
  const now = Date.now();
  const numberWith = (times: { lastTime?: number; firstSince?: number }) => {
    const { search, fake } = clientWith({ 1: [40] });
    let since = 0;
    Object.assign(fake, {
      lastTime: async () => times.lastTime,
      firstSince: async (_: string, time: number) => {
        since = time;
        return times.firstSince;
      },
    });
    return search.exportNumber(signal).then((number) => ({ number, since }));
  };

  it('is below the entries of the last 30 s, whose items a search may not show yet', async () => {
    const { number, since } = await numberWith({ lastTime: now, firstSince: 30 });
    expect(number).to.equal(changeNumber(1, 29));
    expect(since).to.be.within(now - 31_000, now - 30_000);
  });

  it('counts the time from the latest entry if the clock of its writer is late', async () => {
    const { since } = await numberWith({ lastTime: now - 20_000, firstSince: 30 });
    expect(since).to.equal(now - 50_000);
  });

  it('is the checkpoint if no entry is that young, and the beginning without entries', async () => {
    expect((await numberWith({ lastTime: now - 90_000 })).number).to.equal(changeNumber(1, CHECKPOINT));
    expect((await numberWith({})).number).to.equal(0);
    expect((await numberWith({ lastTime: now, firstSince: 0 })).number).to.equal(0);
  });
});

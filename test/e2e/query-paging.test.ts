import type { Item } from '@vitrine/feed-index';
import { CROWD, distance, IMPORT, inFeedOrder, pagingItems, Random } from '@vitrine/fixtures';
import { expect } from 'chai';
import { pagingCrawl } from '../support/feed-clients.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

/** VITRINE_FULL=1 uses the size of a real market and Elasticsearch's own window, and takes some minutes. */
const FULL = process.env.VITRINE_FULL === '1';
const { count, resultWindow, pageSizes } = FULL
  ? { count: 200_000, resultWindow: 10_000, pageSizes: [23, 100] }
  : { count: 10_000, resultWindow: 500, pageSizes: [100] };
const SHARDS = 3;
/** Seed for the random pages. The test prints the seed, and `VITRINE_SEED` sets it. */
const SEED = Number(process.env.VITRINE_SEED ?? Date.now() % 1_000_000);
const RANDOM_PAGES = FULL ? 200 : 80;
/** Precision of Elasticsearch's coordinates and distances, in meters. */
const TOLERANCE = 0.5;

const ids = (items: Item[]) => items.map(({ id }) => id);
const range = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
/** Compares long lists, for which chai would need minutes. */
const expectSame = (found: string[], expected: string[], what: string) => {
  const wrong = found.findIndex((id, rank) => id !== expected[rank]);
  expect(
    wrong === -1 ? 'none' : `${found[wrong]} at ${wrong}, not ${expected[wrong]}`,
    `${what}: first wrong item`,
  ).to.equal('none');
  expect(found.length, what).to.equal(expected.length);
};

describe(`query service: paging through ${count} items`, function () {
  this.timeout(FULL ? 1_800_000 : 900_000);
  const items = inFeedOrder(pagingItems(count));
  const byId = new Map(items.map((item) => [item.id, item]));
  const inRecife = items.filter(({ city }) => city === 'recife');
  let deployment: QueryDeployment;
  let crawl: ReturnType<typeof pagingCrawl>;

  const random = new Random(SEED);

  before(async () => {
    process.stderr.write(`# VITRINE_SEED=${SEED}\n`);
    deployment = await startQuery({ shards: SHARDS, resultWindow });
    await deployment.createIndex(pagingItems(count));
    crawl = pagingCrawl(deployment.origin);
  });
  after(() => deployment?.close());

  const everyPage = async (query: string, pageSize: number, total: number): Promise<string[]> => {
    const pageCount = Math.ceil(total / pageSize);
    const pages = await crawl.pages(query, pageSize, range(pageCount + 1));
    for (const { meta } of pages) expect([meta.total, meta.pageCount]).to.deep.equal([total, pageCount]);
    return pages.flatMap((page) => page.ids);
  };
  const randomPages = async (query: string, pageSize: number, expected: string[]) => {
    const pageCount = Math.ceil(expected.length / pageSize);
    const numbers = range(RANDOM_PAGES).map(() => 1 + Math.floor(random.fraction() * pageCount));
    for (const [i, { ids }] of (await crawl.pages(query, pageSize, numbers)).entries()) {
      const from = ((numbers[i] ?? 1) - 1) * pageSize;
      expectSame(ids, expected.slice(from, from + pageSize), `${query} page ${numbers[i]}`);
    }
  };
  const meters = (id: string): number => {
    const at = byId.get(id)?.point;
    return at ? distance(CROWD, at) : Number.POSITIVE_INFINITY;
  };
  /** Asserts that each expected item is found once, and no other item, in order of distance and then id. */
  const expectNearestFirst = (found: string[], expected: string[]) => {
    expectSame(found.toSorted(), expected.toSorted(), 'nearest first');
    const wrong = found.findIndex((id, rank) => {
      const next = found[rank + 1];
      if (next === undefined) return false;
      const [here, there] = [meters(id), meters(next)];
      const isTie = here === there && (here === 0 || here === Number.POSITIVE_INFINITY);
      return isTie ? id >= next : here > there + TOLERANCE;
    });
    expect(
      wrong === -1 ? 'none' : `${found[wrong]} (${meters(found[wrong] ?? '')})`,
      'first item out of order',
    ).to.equal('none');
  };

  for (const pageSize of pageSizes) {
    it(`pages of ${pageSize} items contain each item once and in order`, async () => {
      expectSame(await everyPage('', pageSize, count), ids(items), 'all');
    });
  }

  it('pages with a filter contain each matching item once and in order', async () => {
    for (const pageSize of [20, 97])
      expectSame(await everyPage('city=Recife', pageSize, inRecife.length), ids(inRecife), 'in Recife');
  });

  it(`${RANDOM_PAGES} random pages contain the expected items, with and without a filter`, async () => {
    for (const pageSize of [1, 20, 100]) await randomPages('', pageSize, ids(items));
    await randomPages('city=recife', 20, ids(inRecife));
  });

  it('pages of items with the same publication time are in order', async () => {
    const first = items.findIndex(({ published_at }) => published_at === IMPORT);
    const shared = items.filter(({ published_at }) => published_at === IMPORT);
    expect(shared.length).to.be.above(count / 11);
    const numbers = range(Math.ceil(shared.length / 100) + 1).map((i) => Math.floor(first / 100) + i);
    const found = await crawl.pages('', 100, numbers);
    const from = Math.floor(first / 100) * 100;
    const got = found.flatMap((page) => page.ids);
    expectSame(got, ids(items).slice(from, from + got.length), 'shared');
  });

  it('pages with the nearest items first are in order up to the last page', async () => {
    const query = `lat=${CROWD.lat}&lng=${CROWD.lon}`;
    const found = await everyPage(query, 100, count);
    expectNearestFirst(found, ids(items));
    await randomPages(query, 20, found);
    expectNearestFirst(await everyPage(`${query}&city=recife`, 100, inRecife.length), ids(inRecife));
    expectSame(await crawl.byCursor(query, 100), found, 'by cursor');
  });

  it('pages with the nearest items first are consistent even if all items are about equally far away', async () => {
    const query = 'lat=-3.1&lng=-60.02&localOnly=off';
    const found = await everyPage(query, 100, count);
    expectSame(found.toSorted(), ids(items).toSorted(), 'from far away');
    await randomPages(query, 7, found);
  });

  it('a cursor crawl returns each item once and in order', async () => {
    expectSame(await crawl.byCursor('', 100), ids(items), 'all');
    expectSame(await crawl.byCursor('city=recife', 33), ids(inRecife), 'in Recife');
  });

  it('a cursor with an invented distance leads to the end of the feed', async () => {
    const query = `lat=${CROWD.lat}&lng=${CROWD.lon}`;
    const { meta } = await crawl.get(`${query}&cursor=*`);
    const parts = JSON.parse(Buffer.from(meta.nextCursor ?? '', 'base64url').toString()) as unknown[];
    for (const distance of [30_000_000, 1e300, Number.MAX_VALUE]) {
      const cursor = Buffer.from(JSON.stringify([...parts.slice(0, 2), distance, 'x'])).toString('base64url');
      const { data } = await crawl.get(`${query}&cursor=${cursor}`);
      // Only items without coordinates come after every distance.
      expect(data.map(({ id }) => meters(id))).to.deep.equal(data.map(() => Number.POSITIVE_INFINITY));
    }
  });

  it('a page past the end is empty and fast, however far past the end it is', async () => {
    for (const page of [Math.ceil(count / 20) + 1, Number.MAX_SAFE_INTEGER]) {
      // A page that costs too much is slow every time. A busy machine is slow only in some attempts.
      let fastest = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 3 && fastest >= 5_000; attempt++) {
        const start = performance.now();
        const { data, meta } = await crawl.get(`page=${page}`);
        fastest = Math.min(fastest, performance.now() - start);
        expect(data).to.deep.equal([]);
        expect(meta).to.include({ page, total: count });
      }
      expect(fastest).to.be.below(5_000);
    }
  });
});

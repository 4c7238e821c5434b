import { CURRENT_ITEMS, type Item, itemsAlias } from '@vitrine/feed-index';
import { bareItem, CROWD, day, distance, inFeedOrder, pagingItems, Random, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { type FeedPage, pagingCrawl } from '../support/feed-clients.ts';
import { createItemsIndex, indexItems, itemsIndex } from '../support/items-index.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';

const FULL = process.env.VITRINE_FULL === '1';
const { count, resultWindow, rounds } = FULL
  ? { count: 30_000, resultWindow: 10_000, rounds: 4 }
  : // The service reads 1,000 calendars in one search.
    { count: 2_000, resultWindow: 1_101, rounds: 2 };
const SHARDS = 3;
/** The only date of the calendars. */
const NIGHT = day(3);
const PAGE_SIZE = 50;
const NEAREST = `lat=${CROWD.lat}&lng=${CROWD.lon}`;
/**
 * One item in every RESTLESS items appears, disappears or moves during the test. The other items are steady.
 */
const RESTLESS = 5;
/** Seed for the page numbers. The test prints the seed, and `VITRINE_SEED` sets it. */
const SEED = Number(process.env.VITRINE_SEED ?? Date.now() % 1_000_000);
/** The configured time for which pages share a point in time, plus a margin for a late timer. */
const SNAPSHOT_MS = 1_000 + 500;
/** Precision of Elasticsearch's distances, in meters. */
const TOLERANCE = 0.5;

interface State {
  items: ReadonlyMap<string, Item>;
  /** The start of this state's write, and the end of the next state's write, by `performance.now()`. */
  from: number;
  to: number;
}

/**
 * The contents of a changing index over time. A reader sees one of its states, or contents between two
 * consecutive states.
 */
class LiveStates {
  readonly #states: State[] = [];

  /** Runs `write`, which changes the index to `items`. */
  async change(items: ReadonlyMap<string, Item>, write: () => Promise<void>): Promise<void> {
    const state = { items: new Map(items), from: performance.now(), to: Number.POSITIVE_INFINITY };
    const before = this.#states.at(-1);
    this.#states.push(state);
    await write();
    if (before) before.to = performance.now();
  }

  /**
   * The smallest and the largest number of items that a reader could have counted.
   * @param since the earliest moment whose contents the reader may have seen, by `performance.now()`
   * @param counts whether the reader counts this item
   */
  bounds(since: number, counts: (item: Item) => boolean): { least: number; most: number } {
    const seen = this.#states
      .filter(({ to }) => to >= since)
      .map(({ items }) => new Set([...items.values()].filter(counts).map(({ id }) => id)));
    const all = new Set(seen.flatMap((ids) => [...ids]));
    return { least: [...all].filter((id) => seen.every((ids) => ids.has(id))).length, most: all.size };
  }
}

/** The ids in ascending order by a key, and then by the ids themselves. */
const inOrder = (items: Item[], key: (item: Item) => number): string[] =>
  items.toSorted((a, b) => key(a) - key(b) || (a.id < b.id ? -1 : 1)).map(({ id }) => id);

describe(`query service: paging while ${count} items change`, () => {
  const all = pagingItems(count).map((item): Item => {
    const { price } = item.feed_item;
    return { ...item, calendar: [{ date: NIGHT, available: true, price: price + 1 }] };
  });
  const steady = all.filter((_, i) => i % RESTLESS !== 0);
  const restless = all.filter((_, i) => i % RESTLESS === 0);
  const isSteady = new Set(steady.map(({ id }) => id));
  const steadyIds = inFeedOrder(steady).map(({ id }) => id);
  let deployment: QueryDeployment;
  let crawl: ReturnType<typeof pagingCrawl>;
  /** The items of the live index. */
  const live = new Map(all.map((item) => [item.id, item]));
  const states = new LiveStates();
  let generation = 1;

  before(async () => {
    deployment = await startQuery({
      env: { CACHE_BYTES: '0', CACHE_FRESH_SECONDS: '1', FEED_TODAY: TODAY },
      shards: SHARDS,
      resultWindow,
    });
    await deployment.createIndex([]);
    await states.change(live, () =>
      indexItems(deployment.elasticsearch, itemsIndex(deployment.prefix, generation), all),
    );
    crawl = pagingCrawl(deployment.origin);
  });
  after(async () => {
    await deployment?.elasticsearch.indices.delete({
      index: itemsIndex(deployment.prefix, generation),
      ignore_unavailable: true,
    });
    await deployment?.close();
  });

  /** Makes a tenth of the changing items disappear, reappear, or reappear with a new publication time. */
  const change = async (turn: number) => {
    const { elasticsearch, prefix } = deployment;
    const index = itemsIndex(prefix, generation);
    const operations = restless
      .filter((_, i) => i % 10 === turn % 10)
      .flatMap((item, i): object[] => {
        if (live.delete(item.id) && i % 2 === 0) return [{ delete: { _id: item.id } }];
        const { feed_item } = item;
        const moved: Item = {
          ...item,
          published_at: item.published_at + 1 + turn,
          feed_item: { ...feed_item, price: feed_item.price + turn, rating: turn % 5 },
          calendar: [{ date: NIGHT, available: true, price: feed_item.price + turn }],
        };
        live.set(item.id, moved);
        return [{ index: { _id: item.id } }, CURRENT_ITEMS.documentOf(moved)];
      });
    const fresh = bareItem(`fresh-${turn}`, Date.parse('2026-12-01') + turn, {
      city: 'recife',
      point: CROWD,
    });
    live.set(fresh.id, fresh);
    await states.change(live, async () => {
      await elasticsearch.bulk({
        index,
        operations: [...operations, { index: { _id: fresh.id } }, CURRENT_ITEMS.documentOf(fresh)],
        refresh: true,
      });
    });
  };

  /** Replaces the live index with a new index that has the same items. */
  const switchIndex = async () => {
    const { elasticsearch, prefix } = deployment;
    const [from, to] = [itemsIndex(prefix, generation), itemsIndex(prefix, generation + 1)];
    await createItemsIndex(elasticsearch, prefix, generation + 1, {
      shards: SHARDS,
      resultWindow,
      live: false,
    });
    await indexItems(elasticsearch, to, [...live.values()]);
    const alias = itemsAlias(prefix);
    await elasticsearch.indices.updateAliases({
      actions: [{ remove: { index: from, alias } }, { add: { index: to, alias } }],
    });
    generation++;
    await elasticsearch.indices.delete({ index: from });
  };

  /** Runs each of `reads` repeatedly, all at once, while the test changes items and switches the index. */
  const duringChanges = async (...reads: (() => Promise<void>)[]) => {
    let isOver = false;
    const changes = (async () => {
      for (let round = 0; round < rounds; round++) {
        for (let turn = 0; turn < 5; turn++) await change(round * 5 + turn);
        await switchIndex();
      }
    })().finally(() => {
      isOver = true;
    });
    const reading = reads.map(async (read) => {
      do await read();
      while (!isOver);
    });
    await Promise.all([changes, ...reading]);
  };

  const expectWhole = ({ data, meta }: FeedPage, from: number) => {
    const expected = Math.min(Math.max(meta.total - from, 0), PAGE_SIZE);
    expect(data.length, `page at ${from} of ${meta.total}`).to.equal(expected);
    expect(meta.pageCount).to.equal(Math.ceil(meta.total / PAGE_SIZE));
    expect(new Set(data.map(({ id }) => id))).to.have.property('size', expected);
  };

  const crawlsSteady = (query: string, expected: readonly string[]) => async () => {
    const found = (await crawl.byCursor(query, PAGE_SIZE)).filter((id) => isSteady.has(id));
    expect(found.length, query).to.equal(expected.length);
    expect(
      found.findIndex((id, i) => id !== expected[i]),
      `first wrong item of ${query}`,
    ).to.equal(-1);
  };

  it('cursor crawls, newest and nearest first, miss no steady items and repeat none', () =>
    duringChanges(crawlsSteady('', steadyIds), async () => {
      const found = (await crawl.byCursor(NEAREST, PAGE_SIZE)).filter((id) => isSteady.has(id));
      expect(found.length).to.equal(steadyIds.length);
      expect(new Set(found)).to.have.property('size', found.length);
    }));

  const byValue = [
    ['price', inOrder(steady, ({ feed_item }) => feed_item.price)],
    ['rating', inOrder(steady, ({ feed_item: { rating = -1 } }) => -rating)],
    [`total_price&date=${NIGHT}`, inOrder(steady, ({ calendar }) => calendar[0]?.price ?? 0)],
  ] as const;

  it('cursor crawls by price, rating and total miss no steady items and repeat none', () =>
    duringChanges(...byValue.map(([sort, expected]) => crawlsSteady(`sort=${sort}`, expected))));

  it('every page by price, rating and total is complete, and its steady items are in order', () => {
    const random = new Random(SEED);
    return duringChanges(
      ...byValue.map(([sort, expected]) => async () => {
        for (let i = 0; i < 20; i++) {
          const page = 1 + Math.floor((random.fraction() * count) / PAGE_SIZE);
          const since = performance.now() - SNAPSHOT_MS;
          const found = await crawl.get(`sort=${sort}&pageSize=${PAGE_SIZE}&page=${page}`);
          expectWhole(found, (page - 1) * PAGE_SIZE);
          const ranks = found.data.filter(({ id }) => isSteady.has(id)).map(({ id }) => expected.indexOf(id));
          expect(ranks, `${sort}, page ${page}`).to.deep.equal(ranks.toSorted((a, b) => a - b));
          const all = states.bounds(since, ({ calendar }) => !sort.includes(NIGHT) || calendar.length > 0);
          expect(found.meta.total, `total by ${sort}`).to.be.within(all.least, all.most);
        }
      }),
    );
  });

  it('every page at every depth is complete, sorted, at its position, and consistent with its total', async () => {
    const random = new Random(SEED);
    process.stderr.write(`# VITRINE_SEED=${SEED}\n`);
    const widths: number[] = [];
    const known = (id: string) => live.get(id) ?? all.find((item) => item.id === id);
    const meters = (id: string) => {
      const point = known(id)?.point;
      return point ? distance(CROWD, point) : Number.POSITIVE_INFINITY;
    };
    await duringChanges(async () => {
      const pageCount = Math.ceil(count / PAGE_SIZE);
      for (let i = 0; i < 40; i++) {
        const page = 1 + Math.floor(random.fraction() * pageCount);
        const from = (page - 1) * PAGE_SIZE;
        const since = performance.now() - SNAPSHOT_MS;
        const found = await crawl.get(`pageSize=${PAGE_SIZE}&page=${page}`);
        expectWhole(found, from);
        const ranks = found.data.filter(({ id }) => isSteady.has(id)).map(({ id }) => steadyIds.indexOf(id));
        expect(ranks, `page ${page}`).to.deep.equal(ranks.toSorted((a, b) => a - b));
        // The rank of the first steady item must match one of the states that the page may show.
        const first = found.data.findIndex(({ id }) => isSteady.has(id));
        const item = known(found.data[first]?.id ?? '');
        if (item) {
          const { least, most } = states.bounds(
            since,
            (other) => inFeedOrder([other, item])[0] === other && other !== item,
          );
          expect(from + first, `items before ${item.id} on page ${page}`).to.be.within(least, most);
          widths.push(most - least);
        }
        const all = states.bounds(since, () => true);
        expect(found.meta.total, 'total').to.be.within(all.least, all.most);
        const nearest = await crawl.get(`${NEAREST}&pageSize=${PAGE_SIZE}&page=${page}`);
        expectWhole(nearest, from);
        const distances = nearest.data.filter(({ id }) => isSteady.has(id)).map(({ id }) => meters(id));
        const wrong = distances.findIndex(
          (each, rank) => each > (distances[rank + 1] ?? Number.POSITIVE_INFINITY) + TOLERANCE,
        );
        expect(wrong, `first item out of order of page ${page}, nearest first`).to.equal(-1);
      }
    });
    const width = widths.reduce((sum, each) => sum + each, 0) / widths.length;
    process.stderr.write(
      `# ${widths.length} pages, each with a tolerance of ${width.toFixed(1)} ranks on average\n`,
    );
    expect(width, 'average tolerance in ranks').to.be.below(restless.length / 2);
  });

  it('afterwards every page equals the index', async () => {
    const expected = inFeedOrder([...live.values()]).map(({ id }) => id);
    // Deep pages share a point in time for a shorter time than this wait.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    const numbers = Array.from({ length: Math.ceil(expected.length / PAGE_SIZE) }, (_, i) => i + 1);
    const found = (await crawl.pages('', PAGE_SIZE, numbers)).flatMap(({ ids }) => ids);
    expect(found.length).to.equal(expected.length);
    expect(
      found.findIndex((id, i) => id !== expected[i]),
      'first wrong item',
    ).to.equal(-1);
  });
});

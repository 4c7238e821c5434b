import { setImmediate as settled } from 'node:timers/promises';
import type { estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import fc from 'fast-check';
import type { SortPosition } from '../../request/sort-position.ts';
import {
  type Clause,
  type SearchOrder,
  searchAfter,
  sortPositionOf,
  valueOrderOf,
} from '../order/feed-order.ts';
import type { OrderRange } from '../order/key-range.ts';
import { searchCandidateRanges } from './candidate-search.ts';
import { Estimates } from './estimates.ts';

/** The key of an item is its distance from this point, in meters. */
const POINT = { lat: -25.43, lon: -49.27 };

type Item = SortPosition & { city?: string };

/** Compares items in Elasticsearch's order: items without a key come last, and the id breaks ties. */
function compare(order: SearchOrder, a: Item, b: Item): number {
  const isDescending = valueOrderOf(order)?.direction === 'desc';
  const rank = ({ key }: Item) => (key === null ? Number.MAX_VALUE : isDescending ? -key : key);
  return rank(a) - rank(b) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

interface Query {
  city?: string;
  bool?: { filter?: Query[]; must_not?: Query[] };
  range?: Record<string, { gte?: number | string; lt?: number | string }>;
  exists?: object;
  geo_distance?: { distance: number };
}

function matches({ city, bool, range, exists, geo_distance }: Query, item: Item): boolean {
  const { key } = item;
  if (city !== undefined) return item.city === city;
  if (exists) return key !== null;
  if (range) {
    const [[name, { gte, lt }] = ['', {}]] = Object.entries(range);
    const value = name === 'id' ? item.id : key;
    return value !== null && (gte === undefined || value >= gte) && (lt === undefined || value < lt);
  }
  if (geo_distance) return key !== null && key <= geo_distance.distance;
  const { filter = [], must_not = [] } = bool ?? {};
  return filter.every((each) => matches(each, item)) && !must_not.some((each) => matches(each, item));
}

/** Simulates the searches of Elasticsearch that these pages need, and stores the requests. */
function index(items: Item[], order: SearchOrder) {
  const requests: estypes.SearchRequest[] = [];
  const sorted = items.toSorted((a, b) => compare(order, a, b));
  const search = async (request: estypes.SearchRequest): Promise<estypes.SearchResponse<Item>> => {
    requests.push(request);
    const { from = 0, size = 0, search_after, query } = request;
    const after = search_after && sortPositionOf(search_after);
    const found = sorted.filter(
      (item) => matches(query as Query, item) && (!after || compare(order, item, after) > 0),
    );
    const hits = found
      .slice(from, from + size)
      .map((item) => ({ _id: item.id, sort: searchAfter(item, order) }));
    return { hits: { hits } } as unknown as estypes.SearchResponse<Item>;
  };
  return { requests, search, sorted };
}

const knowing = async (ranges: OrderRange[], ids: string[] = []): Promise<Estimates> => {
  const estimates = new Estimates({
    countOrder: async () => ({ total: ranges.reduce((sum, { count }) => sum + count, 0), ranges }),
    sampleIds: async () => ids,
  });
  for (const order of ['newest', 'price', 'rating'] as const) estimates.histogram(order);
  estimates.ids();
  await settled();
  return estimates;
};
const evenHistogram = (count: number, newest: number): OrderRange[] => [
  { by: 'value', from: 0, below: newest + 1, count },
];

async function read(
  all: Item[],
  order: SearchOrder,
  position: { from: number } | { after: SortPosition },
  size: number,
  estimates: Estimates,
  city?: string,
) {
  const { requests, search } = index(all, order);
  const items = all.filter((item) => city === undefined || item.city === city);
  const { sorted } = index(items, order);
  const request = {
    size,
    ...('from' in position ? position : { search_after: searchAfter(position.after, order) }),
  };
  const clauses = (city === undefined ? [] : [{ city }]) as unknown as Clause[];
  const hits = await searchCandidateRanges(
    request,
    { clauses, order },
    Promise.resolve(items.length),
    estimates,
    search,
  );
  const start =
    'from' in position ? position.from : sorted.findIndex(({ id }) => id === position.after.id) + 1;
  expect(hits.map(({ _id }) => _id)).to.deep.equal(sorted.slice(start, start + size).map(({ id }) => id));
  return requests;
}

describe('shallow page', () => {
  const many = Array.from(
    { length: 5_000 },
    (_, i): Item => ({ id: `i${String(i).padStart(5, '0')}`, key: i * 10 }),
  );
  const newest = 49_990;

  it('visits only the newest items that it needs', async () => {
    const estimates = await knowing(evenHistogram(5_000, newest));
    const [first] = await read(many, 'newest', { from: 0 }, 20, estimates);
    const requests = await read(many, 'newest', { from: 40 }, 20, estimates);
    expect(requests).to.have.length(1);
    const { gte } = JSON.parse(JSON.stringify(requests[0])).query.bool.filter[0].range.published_at;
    expect((newest - gte) / 10, 'items in the range').to.be.within(60, 120);
    expect(first).to.have.property('track_total_hits', false);
  });

  it('visits only the items that it needs after a cursor', async () => {
    const estimates = await knowing(evenHistogram(5_000, newest));
    await read(many, 'newest', { from: 0 }, 20, estimates);
    const requests = await read(many, 'newest', { after: many[2_345] as Item }, 20, estimates);
    expect(requests).to.have.length(1);
    expect(requests[0]?.query).not.to.deep.equal({ bool: { filter: [] } });
  });

  it('searches the whole order without an estimate', async () => {
    const requests = await read(many, 'newest', { from: 40 }, 20, await knowing([]));
    expect(requests).to.have.length(1);
    expect(requests[0]?.query).to.deep.equal({ bool: { filter: [] } });
  });

  it('widens the range if the estimate was wrong', async () => {
    const old = await knowing(evenHistogram(5_000, 10 * newest));
    expect(await read(many, 'newest', { from: 0 }, 20, old), 'without the number of matches').to.have.length(
      2,
    );
    expect(await read(many, 'newest', { from: 0 }, 20, old), 'as wide as necessary').to.have.length(1);
  });

  it('visits only the cheapest and the best rated items, however rare the filter is among them', async () => {
    // The cheapest and the best rated 500 items are in another city.
    const items = many.map(
      (item, i): Item => ({ ...item, city: i < 500 || i >= 4_500 ? 'other' : 'recife' }),
    );
    for (const order of ['price', 'rating'] as const) {
      const estimates = await knowing(evenHistogram(5_000, newest));
      await read(items, order, { from: 0 }, 20, estimates, 'recife');
      const requests = await read(items, order, { from: 0 }, 20, estimates, 'recife');
      expect(requests, order).to.have.length(1);
      const visited = items.filter((item) => matches(requests[0]?.query as Query, item));
      expect(visited.length, order).to.be.within(20, 700);
      await read(items, order, { after: items[2_000] as Item }, 20, estimates, 'recife');
      const [after] = await read(items, order, { after: items[2_000] as Item }, 20, estimates, 'recife');
      expect(items.filter((item) => matches(after?.query as Query, item)).length, order).to.be.within(
        20,
        100,
      );
    }
  });

  it('visits only a few of the items that share a sort key after a cursor of one of them', async () => {
    for (const [order, shared] of [
      ['newest', 700],
      ['price', 100],
      ['rating', 4.8],
      ['rating', null],
      [POINT, null],
    ] as const) {
      const items = many.map(({ id, key }, i): Item => ({ id, key: i % 2 === 0 ? shared : key }));
      const sample = many.filter((_, i) => i % 10 === 0).map(({ id }) => id);
      const estimates = await knowing(evenHistogram(5_000, newest), sample);
      const visited = async (after: Item) => {
        const requests = await read(items, order, { after }, 20, estimates);
        expect(requests).to.have.length(1);
        return items.filter((item) => matches(requests[0]?.query as Query, item)).length;
      };
      await read(items, order, { after: items[2_000] as Item }, 20, estimates);
      expect(await visited(items[2_040] as Item), `${order} ${shared}`).to.be.within(20, 100);
      expect(await visited(items[40] as Item), `${order} ${shared}`).to.be.within(20, 100);
      await read(items, order, { after: items[4_990] as Item }, 20, estimates);
    }
  });

  it('visits only unrated items after a cursor of one', async () => {
    const items = many.map(({ id, key }, i): Item => ({ id, key: i < 4_000 ? key : null }));
    const estimates = await knowing(evenHistogram(5_000, newest));
    const requests = await read(items, 'rating', { after: items[4_500] as Item }, 20, estimates);
    expect(requests).to.have.length(1);
    expect(items.filter((item) => matches(requests[0]?.query as Query, item))).to.have.length(1_000);
  });

  it('searches nearby first, and remembers the density of items', async () => {
    const estimates = await knowing([]);
    expect(
      await read(many, POINT, { from: 0 }, 20, estimates),
      'the first range covers only a few streets',
    ).to.have.length(1);
    const requests = await read(many, POINT, { from: 0 }, 20, estimates);
    const { distance } = JSON.parse(JSON.stringify(requests[0])).query.bool.filter[0].geo_distance;
    expect(distance).to.be.within(200, 400);
  });

  it('widens the radius as far as necessary, and starts there the next time', async () => {
    const far = many.slice(0, 600).map(({ id }, i): Item => ({ id, key: i < 10 ? 300_000 + i : null }));
    for (const from of [0, 20]) {
      const estimates = await knowing([]);
      expect(await read(far, POINT, { from }, 20, estimates), `from ${from}`).to.have.length(4);
      expect(await read(far, POINT, { from }, 20, estimates), `from ${from} again`).to.have.length(1);
    }
  });

  it('reads few matches in one search, even if some have no coordinates', async () => {
    const few = many.slice(0, 15).map(({ id, key }, i): Item => ({ id, key: i < 10 ? key : null }));
    const estimates = await knowing([]);
    expect(await read(few, POINT, { from: 0 }, 20, estimates), 'before their number is known').to.have.length(
      2,
    );
    expect(await read(few, POINT, { from: 0 }, 20, estimates)).to.have.length(1);
    expect(
      await read(few, { lat: 10, lon: 10 }, { from: 0 }, 20, estimates),
      'at another point',
    ).to.have.length(1);
  });

  describe('with alternating filters at one point', () => {
    // There are 5,000 items within 5 km, and 600 items of another city from 6 km on.
    const mixed = many.map(
      (item, i): Item =>
        i < 4_400
          ? { ...item, city: 'dense', key: i }
          : { ...item, city: 'sparse', key: 6_000 + 10 * (i - 4_400) },
    );
    /** Counts the items of the city that a search visits. */
    const visited = (requests: estypes.SearchRequest[], city: string) =>
      requests.reduce(
        (sum, { query }) =>
          sum + mixed.filter((item) => item.city === city && matches(query as Query, item)).length,
        0,
      );

    it('visits as few items and sends as few searches as with a single filter', async () => {
      const estimates = await knowing([]);
      for (const city of ['dense', 'sparse']) await read(mixed, POINT, { from: 0 }, 20, estimates, city);
      for (let round = 0; round < 3; round++) {
        for (const city of ['dense', 'sparse']) {
          const requests = await read(mixed, POINT, { from: 0 }, 20, estimates, city);
          expect(requests, `${city}, searches`).to.have.length(1);
          expect(visited(requests, city), `${city}, items`).to.be.below(city === 'dense' ? 100 : 400);
        }
      }
    });

    it('visits as few items with alternating depths', async () => {
      const estimates = await knowing([]);
      for (const from of [0, 780]) await read(mixed, POINT, { from }, 20, estimates, 'dense');
      for (const from of [0, 780, 0, 780]) {
        const requests = await read(mixed, POINT, { from }, 20, estimates, 'dense');
        expect(requests, `from ${from}, searches`).to.have.length(1);
        expect(visited(requests, 'dense'), `from ${from}, items`).to.be.below(2 * (from + 50));
      }
    });
  });

  it('stops widening at the largest distance on earth', async () => {
    const [requests, ...more] = await read(
      [...many, { id: 'z', key: 1e300 }],
      POINT,
      { after: { id: 'z', key: 1e300 } },
      20,
      await knowing([]),
    );
    expect(more).to.deep.equal([]);
    expect(requests?.query).to.deep.equal({ bool: { filter: [] } });
  });

  it('returns an empty page past the end', async () => {
    const estimates = await knowing(evenHistogram(5_000, newest));
    expect(await read(many, 'newest', { from: 5_000 }, 20, estimates)).to.have.length(1);
  });

  it('returns the items of the whole order for any estimates', async () => {
    const key = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 400_000 }));
    const keys = fc.array(fc.option(key, { freq: 8 }), { minLength: 1, maxLength: 60 });
    const estimate = fc.record({
      total: fc.integer({ min: 501, max: 10_000 }),
      newest: fc.integer({ min: 1, max: 500_000 }),
      density: fc.double({ min: 1e-9, max: 10, noNaN: true }),
      sharePerMatch: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      itemsPerMatch: fc.option(fc.double({ min: 0, noNaN: true })),
    });
    await fc.assert(
      fc.asyncProperty(
        keys,
        fc.constantFrom<SearchOrder>('newest', 'price', 'rating', POINT),
        fc.nat(60),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        estimate,
        async (all, order, from, size, byCursor, guess) => {
          const canBeNull = order === POINT || order === 'rating';
          const items = all.map((each, i): Item => ({ id: `i${i}`, key: canBeNull ? each : (each ?? 7) }));
          const sample = items.map(({ id }) => id).filter((_, i) => i % 3 === 0);
          const estimates = await knowing(evenHistogram(guess.total, guess.newest), sample.sort());
          estimates.setTotal('[]', guess.total);
          estimates.sharePerMatch = () => guess.sharePerMatch ?? undefined;
          estimates.densityAt = () => guess.density;
          estimates.itemsPerMatch = () => guess.itemsPerMatch ?? undefined;
          const after = items[from % items.length] as Item;
          await read(items, order, byCursor ? { after } : { from }, size, estimates);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

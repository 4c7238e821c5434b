import { expect } from 'chai';
import { MCP_LIMITS, RequestBudget, SharedMemory } from '../budget/request-budget.ts';
import type { FeedQuery, FeedSearch } from '../search/feed-query.ts';
import { PageTooLarge } from '../search/search-failure.ts';
import type { StoredItem } from '../stored/stored-item.ts';
import { createListingSources } from './listing-source.ts';

const signal = new AbortController().signal;
const MIB = 1024 * 1024;
const RESPONSE_BYTES = 8 * MIB;
const CALENDAR =
  '[{"date":"2026-12-01","available":true,"price":1},{"date":"2027-01-01","available":true,"price":2}]';

const missing = async (): Promise<never> => {
  throw new Error('not used');
};

/**
 * A search for items of `bytes` bytes each. It counts its requests, the returned bytes, and the bytes of the
 * items that Elasticsearch would read for refused responses.
 */
function searchOf(
  bytes: number,
  existing: (id: string) => boolean = () => true,
  page: FeedSearch['page'] = missing,
) {
  const counted = { searches: 0, bytes: 0, refusedBytes: 0 };
  const stored = (id: string): StoredItem => ({
    head: Buffer.from('{'),
    feedItem: Buffer.from(JSON.stringify({ id, title: 'x'.repeat(bytes) })),
    calendar: Buffer.from(CALENDAR),
  });
  const items = async (ids: readonly string[], _: AbortSignal, { readable }: RequestBudget) => {
    counted.searches++;
    const limit = Math.min(readable, ids.length === 1 ? 3 * RESPONSE_BYTES : RESPONSE_BYTES);
    const found = ids.filter(existing);
    if (found.length * bytes > limit) {
      counted.refusedBytes += found.length * bytes;
      throw new PageTooLarge(Math.floor(limit / bytes), limit);
    }
    counted.bytes += found.length * bytes;
    return found.map(stored);
  };
  const values = (count: number, beginning: string) =>
    Array.from({ length: count }, (_, i) => ({
      value: `${beginning}${i}`,
      label: 'v',
      minPrice: 1,
      count: 1,
    }));
  // The cities are many, and the categories are long.
  const facets = { city: values(4_000, 'v'), category: values(1_500, 'v-'.repeat(80)) };
  const search = {
    items,
    page,
    total: missing,
    calendarUnknown: missing,
    facet: async (_: FeedQuery, facet: string) => facets[facet as keyof typeof facets],
    facetTotals: missing,
  };
  return {
    counted,
    sources: createListingSources({ search, today: () => '2026-12-01', horizonDays: 90, localRadiusKm: 50 }),
  };
}

const ids = (count: number) => Array.from({ length: count }, (_, i) => `id-${i}`);
const newBudget = () => new RequestBudget(MCP_LIMITS, new SharedMemory(1e9));

describe('listings of one request', () => {
  it('by id take two searches if they fit, because the first one shows their size', async () => {
    const { sources, counted } = searchOf(1_000, (id) => id !== 'id-3');
    const { found, unread } = await sources(newBudget()).byIds(ids(50), undefined, signal);
    expect([found.size, unread.size, counted.searches]).to.deep.equal([49, 0, 2]);
    expect(found.get('id-0')?.calendar).to.deep.equal([]);
  });

  it('by id are never asked for with an id that no listing can have', async () => {
    const { sources, counted } = searchOf(10);
    const impossible = ['', '\ud800', 'ç'.repeat(257)];
    const { found, unread } = await sources(newBudget()).byIds([...impossible, 'a'], undefined, signal);
    expect([[...found.keys()], unread.size, counted.searches]).to.deep.equal([['a'], 0, 1]);
  });

  it('have the offers of other stays only if the caller shows them', async () => {
    const queries: FeedQuery[] = [];
    const page = async (query: FeedQuery) => {
      queries.push(query);
      return { total: 0, items: [], offersByDate: [] };
    };
    const source = searchOf(10, undefined, page).sources(newBudget());
    const criteria = { feed: 'ai-feed', pageSize: 5, date: '2026-12-05', dateTo: '2026-12-07' } as const;
    await source.page(criteria, signal, 'none');
    await source.page(criteria, signal, 'every range');
    expect(queries.map(({ stays }) => stays?.starts.length ?? 0)).to.deep.equal([0, 7]);
  });

  it('have the requested dates of their calendars', async () => {
    const { sources } = searchOf(10);
    const { found } = await sources(newBudget()).byIds(['a'], ['2026-01-01', '2026-12-31'], signal);
    expect(found.get('a')?.calendar).to.deep.equal([{ date: '2026-12-01', available: true, price: 1 }]);
  });

  it('by id are read as far as the budget goes, whatever their size', async () => {
    for (const bytes of [100_000, 300_000, 1_000_000, 2_900_000, 7_000_000, 10_000_000]) {
      const { sources, counted } = searchOf(bytes);
      const { found, unread } = await sources(newBudget()).byIds(ids(50), undefined, signal);
      expect(found.size, `${bytes}`).to.be.greaterThan(0);
      expect(found.size + unread.size).to.equal(50);
      expect(counted.bytes).to.be.at.most(Math.max(RESPONSE_BYTES, bytes));
      expect(counted.searches).to.be.at.most(MCP_LIMITS.searches);
    }
  });

  it('of 3 MB each cost Elasticsearch a few reads and the client its rate limit, because 16 lookups of 30 such listings opened its circuit breaker', async () => {
    const { sources, counted } = searchOf(2_900_000);
    const budget = newBudget();
    await sources(budget).byIds(ids(50), undefined, signal);
    expect(counted.refusedBytes).to.be.at.most(15 * 2_900_000);
    expect(budget.cost).to.be.at.least(16);
  });

  for (const facet of ['city', 'category'] as const)
    it(`have the values of a filter in a turn of their own, even if calls share them: ${facet}`, async () => {
      const { sources } = searchOf(10);
      const source = sources(newBudget());
      let turn = 0;
      const count = () => {
        turn++;
        counting = setImmediate(count);
      };
      let counting = setImmediate(count);
      const turns = await Promise.all(
        [1, 2, 3].map(async () => {
          await source.facet({ feed: 'ai-feed', pageSize: 1 }, facet, signal);
          return turn;
        }),
      );
      clearImmediate(counting);
      expect(new Set(turns).size).to.equal(3);
    });

  it('of all calls of a batch share the budget', async () => {
    const { sources, counted } = searchOf(2_900_000);
    const source = sources(newBudget());
    const unread: number[] = [];
    for (const id of ids(10)) unread.push((await source.byIds([id], undefined, signal)).unread.size);
    expect(unread).to.deep.equal([0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(counted.bytes).to.equal(2 * 2_900_000);
  });
});

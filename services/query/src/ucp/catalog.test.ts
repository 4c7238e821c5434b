import { expect } from 'chai';
import type { Listing, ListingSource } from '../agents/listing-source.ts';
import { RequestBudget, SharedMemory } from '../budget/request-budget.ts';
import { createCatalog } from './catalog.ts';

const listing = (id: string, characters: number): Listing => ({
  item: {
    id,
    title: 'x'.repeat(characters),
    price: 1,
    currency: 'BRL',
    url: 'https://example.com',
    location: { city: 'Recife', country: 'BR' },
  },
  labels: {},
  calendar: [],
});

/**
 * A catalog of listings whose titles have these numbers of characters. A product has its title four times.
 */
function catalogOf(titles: readonly number[]) {
  const listings = titles.map((characters, i) => listing(`id-${i}`, characters));
  const summaries: unknown[] = [];
  const source = {
    page: async (...[, , given]: Parameters<ListingSource['page']>) => {
      summaries.push(given);
      return {
        total: listings.length,
        listings,
        positions: listings.map(({ item }, key) => ({ key, id: item.id })),
        hasMore: false,
        offersByDate: [],
      };
    },
    byIds: async (ids: readonly string[]) => ({
      found: new Map(listings.filter(({ item }) => ids.includes(item.id)).map((one) => [one.item.id, one])),
      unread: new Set(['unread']),
    }),
    today: () => '2026-12-01',
    horizonDays: 90,
  } as unknown as ListingSource;
  const catalog = createCatalog(() => source);
  const call = () => ({
    extension: 'x',
    signal: new AbortController().signal,
    budget: new RequestBudget({ foundBytes: 1, searches: 9, jsonCharacters: 10_000 }, new SharedMemory(1e9)),
  });
  return {
    summaries,
    search: () => catalog.search({ query: 'x' }, call()),
    lookup: (ids: string[]) => catalog.lookup({ ids }, call()),
    product: (id: string) => catalog.product({ id }, call()),
  };
}

describe('responses of the UCP catalog within their budget', () => {
  it('have all products if they fit', async () => {
    const { products, pagination, messages } = await catalogOf([10, 10]).search();
    expect([products?.length, pagination, messages]).to.deep.equal([
      2,
      { has_next_page: false, total_count: 2 },
      undefined,
    ]);
  });

  it('end a page before the first product that does not fit', async () => {
    const { products, pagination } = await catalogOf([1_000, 1_000, 1_000]).search();
    expect(products?.map(({ id }) => id)).to.deep.equal(['id-0', 'id-1']);
    expect(pagination).to.include({ has_next_page: true, total_count: 3 });
    expect(pagination?.cursor).to.be.a('string');
  });

  it('pass over a product that fits into no page, and name it', async () => {
    const { products, pagination, messages } = await catalogOf([9_000, 10]).search();
    expect(products?.map(({ id }) => id)).to.deep.equal(['id-1']);
    expect(pagination).to.deep.equal({ has_next_page: false, total_count: 2 });
    expect(messages).to.deep.equal([{ type: 'info', code: 'response_too_large', content: 'id-0' }]);
  });

  it('do not pay for offers of other dates, which they do not have', async () => {
    const { search, summaries } = catalogOf([10]);
    await search();
    expect(summaries).to.deep.equal(['none']);
  });

  it('name the products of a lookup that do not fit or were not read', async () => {
    const { products, messages } = await catalogOf([1_000, 9_000, 10]).lookup([
      'id-0',
      'id-1',
      'unread',
      'id-2',
      'none',
    ]);
    expect(products?.map(({ id }) => id)).to.deep.equal(['id-0', 'id-2']);
    expect(messages?.map((message) => [message.code, message.content])).to.deep.equal([
      ['response_too_large', 'id-1'],
      ['response_too_large', 'unread'],
      ['not_found', 'none'],
    ]);
  });

  it('refuse a single product that does not fit', async () => {
    const { ucp, product, messages } = await catalogOf([9_000]).product('id-0');
    expect([ucp.status, product, messages?.[0]?.code]).to.deep.equal([
      'error',
      undefined,
      'response_too_large',
    ]);
  });
});

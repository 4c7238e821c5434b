import type { estypes } from '@elastic/elasticsearch';
import { packNights } from '@vitrine/feed-index';
import { expect } from 'chai';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../../budget/request-budget.ts';
import { PageTooLarge } from '../search-failure.ts';
import { Estimates } from '../shallow/estimates.ts';
import { readPageByTotal } from './stay-reader.ts';

const DATE = '2026-12-10';
const ITEMS = 300;
const LIMIT = 8_000;

describe('page by total', () => {
  it('is halved if it is too large, because the items that fit are counted by id', async () => {
    const search = async ({ _source, size = 0 }: estypes.SearchRequest) => {
      if (_source !== false) throw new PageTooLarge(size - 4, LIMIT);
      const hits = Array.from({ length: Math.min(size, ITEMS) }, (_, number) => ({
        _index: 'items',
        sort: [number, `item-${number}`],
        fields: { nights: [packNights([{ date: DATE, available: true, price: number }])] },
      }));
      return { took: 1, timed_out: false, _shards: { total: 1, successful: 1, failed: 0 }, hits: { hits } };
    };
    const { items } = readPageByTotal(
      { size: 101 },
      [],
      { first: DATE, last: DATE, nights: 1 },
      {
        estimates: new Estimates({
          countOrder: async () => ({ total: 0, ranges: [] }),
          sampleIds: async () => [],
        }),
        budget: new RequestBudget(PAGE_LIMITS, new SharedMemory(1e9)),
        search,
        count: async () => ITEMS,
      },
      new AbortController().signal,
    );
    const failed = await items.catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(PageTooLarge).and.include({ items: 50, limit: LIMIT });
  });
});

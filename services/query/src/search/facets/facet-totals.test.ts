import { packNights } from '@vitrine/feed-index';
import { expect } from 'chai';
import fc from 'fast-check';
import { addDays } from '../../request/calendar-dates.ts';
import type { NightSearch } from '../stays/night-scan.ts';
import { lowestTotals } from './facet-totals.ts';

const FIRST = '2026-12-01';
const STAY = { first: FIRST, last: addDays(FIRST, 3), nights: 2 };

interface StoredItem {
  id: string;
  category: string;
  lowest: number;
  total: number;
  nights: string;
}

const storedItem = (number: number, value: number, prices: readonly number[]): StoredItem => {
  const calendar = prices.map((price, i) => ({ date: addDays(FIRST, i), available: true, price }));
  const totals = prices.slice(1).map((price, i) => price + (prices[i] ?? 0));
  return {
    id: `item-${String(number).padStart(5, '0')}`,
    category: `value-${value}`,
    lowest: Math.min(...prices),
    total: Math.min(...totals),
    nights: packNights(calendar) ?? '',
  };
};

/** The part of Elasticsearch that a scan uses. It counts the items that it returns. */
function engine(items: readonly StoredItem[]) {
  const sorted = items.toSorted((a, b) => a.lowest - b.lowest || (a.id < b.id ? -1 : 1));
  const read = { items: 0 };
  const search: NightSearch = async ({ query, size = 0, search_after: [price, id] = [] }) => {
    const [, values = ''] = /"category":(\[[^\]]*\])/.exec(JSON.stringify(query)) ?? [];
    const found = sorted
      .filter(({ category }) => (JSON.parse(values) as string[]).includes(category))
      .filter(
        (item) =>
          id === undefined ||
          item.lowest > Number(price) ||
          (item.lowest === Number(price) && item.id > String(id)),
      )
      .slice(0, size);
    read.items += found.length;
    const hits = found.map(({ lowest, id: one, nights, category }) => ({
      sort: [lowest, one],
      fields: { nights: [nights], category: [category] },
    }));
    return { hits: { hits } };
  };
  return { search, read };
}

const expectedTotals = (items: readonly StoredItem[], values: readonly string[]) =>
  values.flatMap((value) => {
    const totals = items.filter(({ category }) => category === value).map(({ total }) => total);
    return totals.length > 0 ? [[value, Math.min(...totals)]] : [];
  });
const VALUES = Array.from({ length: 6 }, (_, i) => `value-${i}`);
const totalsOf = async (search: NightSearch) => [
  ...(await lowestTotals('category', VALUES, [], STAY, {
    search,
    budget: { worked: async () => undefined },
  })),
];

describe('the lowest totals of a facet', () => {
  it('are those of all items, although a low night hides a high total', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.nat(6), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 4, maxLength: 4 })),
          { minLength: 150, maxLength: 300 },
        ),
        async (drawn) => {
          const items = drawn.map(([value, prices], i) => storedItem(i, value, prices));
          expect(await totalsOf(engine(items).search)).to.deep.equal(expectedTotals(items, VALUES));
        },
      ),
      { numRuns: 40 },
    ));

  it('need few of many items if nightly prices are equal, even for a value with few items', async () => {
    const items = Array.from({ length: 20_000 }, (_, i) => {
      const value = i % 4_000 === 0 ? 5 : i % 5;
      const price = 100 + (value === 5 ? 900 : i % 300);
      return storedItem(i, value, [price, price, price, price]);
    });
    const { search, read } = engine(items);
    expect(await totalsOf(search)).to.deep.equal(expectedTotals(items, VALUES));
    expect(read.items).to.be.below(2_000);
  });
});

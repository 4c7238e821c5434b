import { packNights } from '@vitrine/feed-index';
import { expect } from 'chai';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../../budget/request-budget.ts';
import { addDays } from '../../request/calendar-dates.ts';
import type { Clause } from '../order/feed-order.ts';
import { type CheapestOptions, precedes, readCheapestFirst } from './cheapest-first.ts';

const FIRST = '2026-12-01';
const NIGHTS = 3;
const STAY = { first: FIRST, last: addDays(FIRST, 9), nights: NIGHTS };
const ITEMS = 6_000;

interface StoredItem {
  id: string;
  total: number;
  lowest: number;
  highest: number;
  nights: string;
}

/** Returns seeded random integers from 0 to below `count`. */
function seeded(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % count;
  };
}

/** Items, most of which have one price, and some of which have two or many prices. */
function items(random: (count: number) => number, isWild: (number: number) => boolean): StoredItem[] {
  return Array.from({ length: ITEMS }, (_, number) => {
    const base = 80 + random(321);
    const prices = Array.from({ length: 10 }, () =>
      isWild(number) ? (random(2) === 0 ? 1 : 100_000) : number % 3 === 0 ? base + random(41) : base,
    );
    const calendar = prices.map((price, i) => ({ date: addDays(FIRST, i), available: true, price }));
    const totals = prices.flatMap((_price, i) =>
      i + NIGHTS > prices.length ? [] : [prices.slice(i, i + NIGHTS).reduce((a, b) => a + b)],
    );
    return {
      id: `item-${number}`,
      total: Math.min(...totals),
      lowest: Math.min(...prices),
      highest: Math.max(...prices),
      nights: packNights(calendar) ?? '',
    };
  });
}

/** The part of Elasticsearch that pages by total use. */
function engine(
  all: readonly StoredItem[],
): CheapestOptions & { evaluated: () => number; budget: RequestBudget } {
  let evaluated = 0;
  const sorted = all.toSorted((a, b) => a.lowest - b.lowest || (a.id < b.id ? -1 : 1));
  const leastOf = (clauses: unknown): number =>
    Number(/"highest_night":\{"gte":([\d.e+-]+)/.exec(JSON.stringify(clauses))?.[1] ?? 0);
  const matching = (clauses: unknown) => sorted.filter(({ highest }) => highest >= leastOf(clauses));
  return {
    budget: new RequestBudget(PAGE_LIMITS, new SharedMemory(1e9)),
    evaluated: () => evaluated,
    async search({ query, size = 0, search_after: [price, id] = [] }) {
      const rest = matching(query).filter(
        (one) =>
          price === undefined || one.lowest > Number(price) || (one.lowest === price && one.id > String(id)),
      );
      const hits = rest.slice(0, size).map((one) => ({
        sort: [one.lowest, one.id],
        fields: { nights: [one.nights] },
      }));
      evaluated += hits.length;
      return { hits: { hits } };
    },
    count: async (clauses: Clause[]) => matching(clauses).length,
    async highestAt(_clauses, percent) {
      const prices = all.map(({ highest }) => highest).sort((a, b) => a - b);
      return prices[Math.floor((percent / 100) * prices.length)] ?? 0;
    },
  };
}

describe('pages by total', () => {
  for (const [title, isWild] of [
    ['of items with one price, or similar prices', () => false],
    ['of items of which one in twenty has extreme prices', (number: number) => number % 20 === 0],
    ['of items that all have extreme prices', () => true],
  ] as const)
    it(`${title} equal a sort by total and id, at every depth and after every item`, async () => {
      const random = seeded(7);
      const all = items(random, isWild);
      const expected = all
        .toSorted((a, b) => (precedes(a, b) ? -1 : 1))
        .map(({ id, total }) => ({ id, total }));
      for (const from of [0, 19, 999, 1_001, 1_500, 3_000, 5_990, 6_000, 7_000])
        expect(
          await readCheapestFirst([], STAY, { from, size: 20 }, Promise.resolve(ITEMS), engine(all)),
          `${from}`,
        ).to.deep.equal(expected.slice(from, from + 20));
      for (const rank of [0, 500, 3_000, 5_995]) {
        const { id, total: key } = expected[rank] as (typeof expected)[number];
        const part = { from: 0, after: { key, id }, size: 21 };
        expect(await readCheapestFirst([], STAY, part, Promise.resolve(ITEMS), engine(all))).to.deep.equal(
          expected.slice(rank + 1, rank + 22),
        );
      }
    }).timeout(60_000);

  it('evaluate few items, unless their prices vary widely', async () => {
    const all = items(seeded(7), () => false);
    const costs: number[] = [];
    for (const from of [0, 1_500, 5_000]) {
      const elasticsearch = engine(all);
      await readCheapestFirst([], STAY, { from, size: 20 }, Promise.resolve(ITEMS), elasticsearch);
      costs.push(elasticsearch.evaluated());
    }
    expect(costs[0]).to.be.below(200);
    for (const cost of costs) expect(cost).to.be.below(ITEMS / 1.5);
  });

  it('cost the client more than one request if they evaluate many calendars', async () => {
    const costOf = async (isWild: () => boolean) => {
      const elasticsearch = engine(items(seeded(7), isWild));
      await readCheapestFirst([], STAY, { from: 3_000, size: 20 }, Promise.resolve(ITEMS), elasticsearch);
      expect(elasticsearch.budget.cost).to.equal(Math.floor((elasticsearch.evaluated() * 2_048) / 524_288));
      return elasticsearch.budget.cost;
    };
    expect(await costOf(() => true)).to.be.above(10);
    expect(await costOf(() => false)).to.be.below(10);
  });
});

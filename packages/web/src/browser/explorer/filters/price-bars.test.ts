import { expect } from 'chai';
import fc from 'fast-check';
import type { SearchState } from '../search-state.ts';
import { priceBounds, readPriceBars } from './price-bars.ts';

/** Counts as the service does. */
function market(prices: readonly number[]) {
  const requests: SearchState[] = [];
  const count = async (state: SearchState) => {
    requests.push(state);
    const matching = prices.filter((price) => price <= (state.max_price ?? Infinity)).sort((a, b) => a - b);
    return { total: matching.length, price: matching[(state.page ?? 1) - 1] };
  };
  return { count, requests };
}
const cents = fc.integer({ min: 0, max: 300_000_000 }).map((all) => all / 100);

describe('price bars', () => {
  it('contain each listing once, within the limits of its bar, with few requests', () =>
    fc.assert(
      fc.asyncProperty(fc.array(cents, { minLength: 1, maxLength: 60 }), async (prices) => {
        const { count, requests } = market(prices);
        const bars = await readPriceBars({ feed: 'ai-feed' }, count);
        for (const { min = 0, max = Infinity, items } of bars)
          expect(prices.filter((price) => price >= min && price <= max)).to.have.lengthOf(items);
        if (bars.length > 0) expect(bars.reduce((sum, { items }) => sum + items, 0)).to.equal(prices.length);
        expect(requests.length).to.be.at.most(7);
      }),
    ));

  it('count under the other filters, but not under the limits and the position', async () => {
    const { count, requests } = market([10, 1_000]);
    await readPriceBars({ feed: 'ai-feed', city: 'natal', min_price: 5, sort: 'rating', cursor: '*' }, count);
    for (const { page: _, max_price: limit, ...filters } of requests)
      expect(filters).to.deep.equal({
        feed: 'public-feed',
        city: 'natal',
        ...(limit === undefined && { sort: 'price' }),
      });
  });

  it('count a price at a bound once', async () => {
    const bars = await readPriceBars({ feed: 'ai-feed' }, market([45, 85, 85, 160, 2_000]).count);
    expect(bars.slice(0, 3)).to.deep.equal([
      { max: 84.99, items: 1 },
      { min: 85, max: 159.99, items: 2 },
      { min: 160, max: 299.99, items: 1 },
    ]);
  });

  it('have round bounds in equal ratios, and none between equal prices', async () => {
    expect(priceBounds(45, 2_000)).to.deep.equal([85, 160, 300, 560, 1_100]);
    expect(priceBounds(80, 80)).to.deep.equal([]);
    expect(await readPriceBars({ feed: 'ai-feed' }, market([]).count)).to.deep.equal([]);
  });
});

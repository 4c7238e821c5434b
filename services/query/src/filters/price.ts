import { say } from '../agents/answer-text.ts';
import { field } from '../search/order/feed-order.ts';
import { defined, type Filter, withoutSign } from './filter.ts';

/** Inclusive limits on an item's `price` in BRL. */
interface PriceCriteria {
  minPrice?: number;
  maxPrice?: number;
}

/** Limits on the listing's own price. */
export const price: Filter<PriceCriteria, 'min_price' | 'max_price'> = {
  parameters: {
    min_price: {
      feeds: { description: 'Lowest `price` of an item in BRL, inclusive.', example: 100 },
      tools: "Lowest price in BRL: 100. Compares the listing's own price. No default.",
    },
    max_price: {
      feeds: {
        description:
          "Highest `price` of an item in BRL, inclusive. Compares the item's own price, not the prices of dates.",
        example: 300,
      },
      tools:
        "Highest price in BRL: 300. Compares the listing's own price (for a rental: usually per night). On some dates a " +
        'night costs more, so limit a stay with max_total_price. No default.',
    },
  },
  rule: '`min_price` must not be above `max_price`, nor `min_total_price` above `max_total_price`.',
  read({ values: { min_price: minPrice, max_price: maxPrice } }) {
    if (minPrice !== undefined && maxPrice !== undefined && minPrice > maxPrice)
      return { bad: [{ parameter: 'min_price', detail: 'must not be above max_price' }] };
    return { criteria: defined({ minPrice: withoutSign(minPrice), maxPrice: withoutSign(maxPrice) }) };
  },
  members: ['minPrice', 'maxPrice'],
  links: ({ minPrice, maxPrice }) => defined({ min_price: minPrice, max_price: maxPrice }),
  clauses({ minPrice, maxPrice }) {
    const limits = defined({ gte: minPrice, lte: maxPrice });
    return Object.keys(limits).length === 0 ? [] : [{ range: { [field('price')]: limits } }];
  },
  passes: ({ item }, { minPrice = 0, maxPrice = Number.POSITIVE_INFINITY }) =>
    item.price >= minPrice && item.price <= maxPrice,
  applied: ({ minPrice, maxPrice }) => defined({ min_price: minPrice, max_price: maxPrice }),
  appliedText: ({ min_price, max_price }) => [
    ...(min_price === undefined ? [] : [say`min_price ${min_price}`]),
    ...(max_price === undefined ? [] : [say`max_price ${max_price}`]),
  ],
  removals: { min_price: ['minPrice'], max_price: ['maxPrice'] },
};

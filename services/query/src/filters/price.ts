import { say } from '../agents/answer-text.ts';
import { field } from '../search/order/feed-order.ts';
import { defined, type Filter } from './filter.ts';

/** Limits of an item's `price` in BRL, both included. */
interface PriceCriteria {
  minPrice?: number;
  maxPrice?: number;
}

/** Limits of the listing's own price. Only the agents' interfaces have them. */
export const price: Filter<PriceCriteria, 'min_price' | 'max_price'> = {
  parameters: {
    min_price: {
      tools:
        "Lowest `price` of a listing in BRL, 0 or more: 100. Compares the listing's own price. No default.",
    },
    max_price: {
      tools:
        "Highest `price` of a listing in BRL, 0 or more: 300. Compares the listing's own price (of a rent: usually " +
        'per night), not total_price: on requested dates, a night may cost more. No default.',
    },
  },
  read({ values: { min_price: minPrice, max_price: maxPrice } }) {
    if (minPrice !== undefined && maxPrice !== undefined && minPrice > maxPrice)
      return { bad: [{ parameter: 'min_price', detail: 'must not be above max_price' }] };
    return { criteria: defined({ minPrice, maxPrice }) };
  },
  members: ['minPrice', 'maxPrice'],
  links: () => ({}),
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

import { say } from '../agents/answer-text.ts';
import { field } from '../search/order/feed-order.ts';
import { defined, type Filter, withoutSign } from './filter.ts';

interface RatingCriteria {
  /** The lowest rating, from 0 to 5 inclusive. An unrated item does not match any value. */
  minRating?: number;
}

/** The lowest rating. Rule: docs/reference/rules.md#filters. */
export const rating: Filter<RatingCriteria, 'min_rating'> = {
  parameters: {
    min_rating: {
      feeds: {
        description: 'Lowest rating, from 0 to 5, inclusive. Unrated items never match.',
        example: 4.5,
      },
      tools: 'Lowest rating, 0 to 5: 4.5. Unrated listings do not match. No default.',
      ucp: 'Lowest rating, 0 to 5: 4.5. Unrated products do not match. No default.',
    },
  },
  read: ({ values: { min_rating: given } }) => ({ criteria: defined({ minRating: withoutSign(given) }) }),
  members: ['minRating'],
  links: ({ minRating }) => defined({ min_rating: minRating }),
  clauses: ({ minRating }) =>
    minRating === undefined ? [] : [{ range: { [field('rating')]: { gte: minRating } } }],
  passes: ({ item }, { minRating }) =>
    minRating === undefined || (item.rating !== undefined && item.rating >= minRating),
  applied: ({ minRating }) => defined({ min_rating: minRating }),
  appliedText: ({ min_rating }) => (min_rating === undefined ? [] : [say`min_rating ${min_rating}`]),
  removals: { min_rating: ['minRating'] },
};

import { field } from '../search/order/feed-order.ts';
import type { Filter } from './filter.ts';

interface CategoriesCriteria {
  /** Slugs. The items must have one of them as their category or sub-category. */
  categories?: readonly string[];
}

interface WordsCriteria {
  /** Words that the title must contain, as `wordsOf` returns them. */
  words?: readonly string[];
}

/** The parts of a filter that only the UCP catalog sets, from members that UCP defines. */
const INTERNAL = {
  parameters: {},
  read: () => ({}),
  links: () => ({}),
  applied: () => ({}),
  appliedText: () => [],
  removals: {},
};

export const categories: Filter<CategoriesCriteria> = {
  ...INTERNAL,
  members: ['categories'],
  clauses({ categories: slugs }) {
    if (!slugs) return [];
    const should = [field('category'), field('sub_category')].map((name) => ({
      terms: { [name]: [...slugs] },
    }));
    return [{ bool: { should } }];
  },
  passes: ({ item: { category, sub_category } }, { categories: slugs }) =>
    slugs === undefined || [category, sub_category].some((slug) => slugs.includes(slug ?? '')),
};

export const words: Filter<WordsCriteria> = {
  ...INTERNAL,
  members: ['words'],
  clauses: ({ words: searched = [] }) => searched.map((word) => ({ term: { [field('title_words')]: word } })),
  passes: undefined,
};

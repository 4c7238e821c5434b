import { RULES, type Rules } from '@vitrine/listing';

/**
 * The next version of the rules: it ignores ratings, hides listings above R$ 900, and marks the titles of
 * listings above R$ 800.
 */
export const STRICTER: Rules = {
  version: RULES.version + 1,
  derive: (id, state) => {
    const derived = RULES.derive(id, state);
    if (!derived.item) return derived;
    const { rating: _, ...feed_item } = derived.item.feed_item;
    if (feed_item.price > 900) return { hidden: 'price' };
    const title = feed_item.price > 800 ? `${feed_item.title} *` : feed_item.title;
    return { item: { ...derived.item, feed_item: { ...feed_item, title } } };
  },
};

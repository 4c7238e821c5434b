import type { estypes } from '@elastic/elasticsearch';
import { type Labels, type Offer, offersOf } from './item.ts';
import type { DatesAtPrice, IndexedField, ItemMapping, NewIn4 } from './item-document.ts';

/** Elasticsearch rejects longer terms. The feeds still serve a longer slug, but no filter matches it. */
const MAX_TERM_BYTES = 32_766;
export const slug: estypes.MappingProperty = { type: 'keyword', ignore_above: MAX_TERM_BYTES };
/** A longer label is not indexed. Lists of filter values then show its slug. */
const MAX_LABEL_CHARACTERS = 256;
/** Labels are read as part of facets, but never searched. */
const label: estypes.MappingProperty = { type: 'keyword', index: false, ignore_above: MAX_LABEL_CHARACTERS };
const LABELS: Record<keyof Labels, estypes.MappingProperty> = {
  city: label,
  category: label,
  sub_category: label,
};
/** The dates are searched, but never sorted or aggregated. */
const dates = { type: 'keyword', doc_values: false } as const;
/**
 * Elasticsearch stores this content only in `_source` and never parses it, so the content cannot cause a
 * mapping error.
 */
const unindexed: estypes.MappingProperty = { type: 'object', enabled: false };

/** The properties are keyed by the document's type, so a member without a mapping does not compile. */
const properties: Record<Exclude<IndexedField, NewIn4>, estypes.MappingProperty> = {
  id: { type: 'keyword' },
  published_at: { type: 'long' },
  ad_type: { type: 'keyword' },
  city: slug,
  category: slug,
  sub_category: slug,
  point: { type: 'geo_point' },
  price: { type: 'double' },
  labels: { dynamic: 'strict', properties: LABELS },
  /**
   * The dates of all offers. The date filter uses this field, because a filter on nested documents takes
   * three times as long.
   */
  open_dates: dates,
  offers: {
    type: 'nested',
    dynamic: 'strict',
    properties: {
      price: { type: 'double', index: false },
      date: { ...dates, copy_to: ['open_dates'] },
    },
  },
  title_words: { type: 'keyword', doc_values: false },
  feed_item: unindexed,
  calendar: unindexed,
};

/**
 * The mapping of release 1.1.0. Generations with this mapping stay readable and writable until they are
 * pruned.
 */
export const ITEMS_3 = {
  version: 3,
  properties,
  documentOf({ labels, title_words, feed_item, calendar, ...common }) {
    const offers = byPrice(offersOf({ calendar }));
    return { ...common, price: feed_item.price, labels, offers, title_words, feed_item, calendar };
  },
  contentOf: ({ price: _, labels: __, title_words: ___, ...document }) => ({
    ...document,
    offers: byDate(document.offers),
  }),
} satisfies ItemMapping;

/** Groups offers by their rounded price. The groups are in the order of their first dates. */
function byPrice(offers: readonly Offer[]): DatesAtPrice[] {
  const groups = new Map<number, string[]>();
  for (const { date, price } of offers) {
    const dates = groups.get(price);
    if (dates) dates.push(date);
    else groups.set(price, [date]);
  }
  return [...groups].map(([price, date]) => ({ price, date }));
}

/** Returns one offer per date, in ascending order. A document written by hand may have no groups. */
const byDate = (groups: readonly DatesAtPrice[] = []): Offer[] =>
  groups
    .flatMap(({ price, date: dates }) => dates.map((date) => ({ date, price })))
    .sort((a, b) => (a.date < b.date ? -1 : 1));

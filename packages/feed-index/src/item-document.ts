import type { estypes } from '@elastic/elasticsearch';
import { type Item, type Labels, type Offer, offersOf } from './item.ts';

/** Members that an item and its document have in common, under the same names. */
type CommonMembers = Omit<Item, 'labels' | 'title_words' | 'feed_item' | 'calendar'>;
/** The served content. It comes last in a document, where the query service finds it fastest. */
type ServedMembers = Pick<Item, 'feed_item' | 'calendar'>;

interface DatesAtPrice {
  price: number;
  /** Ascending. A date occurs in only one group of an item, so its group counts the item once. */
  date: string[];
}

/**
 * A document of an items index: one nested document per distinct price
 * (docs/decisions/0049-offers-by-price.md), and the words of the title
 * (docs/decisions/0058-title-words.md).
 */
export interface ItemDocument extends CommonMembers, ServedMembers {
  /** BRL. */
  price: number;
  labels: Labels;
  offers: DatesAtPrice[];
  title_words: string[];
}

/** The content that the documents of all mappings have in common, with one offer per date. */
export interface ItemContent extends CommonMembers, ServedMembers {
  /** Ascending by date. */
  offers: Offer[];
}

/** The form of item documents in one version of the items index. All functions are pure. */
export interface ItemMapping {
  version: number;
  properties: Record<string, estypes.MappingProperty>;
  documentOf(item: Item): ItemDocument;
  /** For comparisons of documents of different versions. */
  contentOf(document: ItemDocument): ItemContent;
}

/** The top-level fields of the index. `open_dates` is copied from the offers. */
export type IndexedField = keyof ItemDocument | 'open_dates';

/** Elasticsearch rejects longer terms. The feeds still serve a longer slug, but no filter matches it. */
const MAX_TERM_BYTES = 32_766;
const slug: estypes.MappingProperty = { type: 'keyword', ignore_above: MAX_TERM_BYTES };
/** A longer label is not indexed. Lists of filter values then show its slug. */
const MAX_LABEL_CHARACTERS = 256;
/** Read as a part of facets, but never searched. */
const label: estypes.MappingProperty = { type: 'keyword', index: false, ignore_above: MAX_LABEL_CHARACTERS };
const LABELS: Record<keyof Labels, estypes.MappingProperty> = {
  city: label,
  category: label,
  sub_category: label,
};
/** Searched, but never sorted or aggregated. */
const dates = { type: 'keyword', doc_values: false } as const;
/**
 * Elasticsearch stores this content only in `_source` and never parses it, so the content cannot cause a
 * mapping error.
 */
const unindexed: estypes.MappingProperty = { type: 'object', enabled: false };

/** The properties are keyed by the document's type, so a member without a mapping does not compile. */
const properties: Record<IndexedField, estypes.MappingProperty> = {
  id: { type: 'keyword' },
  published_at: { type: 'long' },
  ad_type: { type: 'keyword' },
  city: slug,
  category: slug,
  sub_category: slug,
  point: { type: 'geo_point' },
  price: { type: 'double' },
  labels: { dynamic: 'strict', properties: LABELS },
  /** All dates of the offers, for the date filter: a filter of nested documents takes three times as long. */
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

/** The mapping of new generations. */
export const CURRENT_ITEMS: ItemMapping = {
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
};

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

/** One offer per date, ascending. A document that was written by hand may have no groups. */
const byDate = (groups: readonly DatesAtPrice[] = []): Offer[] =>
  groups
    .flatMap(({ price, date: dates }) => dates.map((date) => ({ date, price })))
    .sort((a, b) => (a.date < b.date ? -1 : 1));

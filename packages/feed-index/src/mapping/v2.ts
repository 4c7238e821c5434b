import type { estypes } from '@elastic/elasticsearch';
import { type Item, type Labels, type Offer, offersOf } from '../item.ts';
import type { ItemMapping } from './item-mapping.ts';
import {
  COMMON_PROPERTIES,
  type CommonMembers,
  commonMembers,
  SERVED_PROPERTIES,
  type ServedMembers,
} from './properties.ts';

/** The available dates that have one price. */
interface DatesAtPrice {
  price: number;
  /**
   * Ascending. A date occurs in one of an item's groups only, so a group that has it counts the item once.
   */
  date: string[];
}

/**
 * An item document of version 2: one nested document per distinct price
 * (docs/decisions/0049-offers-by-price.md).
 */
export interface ItemDocumentV2 extends CommonMembers, ServedMembers {
  /** BRL. */
  price: number;
  labels: Labels;
  offers: DatesAtPrice[];
}

/** The top-level fields of the index. `open_dates` is copied from the offers. */
export type IndexedField = keyof ItemDocumentV2 | 'open_dates';

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

const properties: Record<IndexedField, estypes.MappingProperty> = {
  ...COMMON_PROPERTIES,
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
  ...SERVED_PROPERTIES,
};

export const V2: ItemMapping<ItemDocumentV2> = {
  version: 2,
  properties,
  documentOf(item: Item): ItemDocumentV2 {
    const { labels, feed_item, calendar } = item;
    return {
      ...commonMembers(item),
      price: feed_item.price,
      labels,
      offers: byPrice(offersOf(item)),
      feed_item,
      calendar,
    };
  },
  contentOf: ({ price: _, labels: __, ...document }) => ({ ...document, offers: byDate(document.offers) }),
};

/**
 * Groups offers by their price, which is already rounded. The groups are in the order of their first dates.
 */
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

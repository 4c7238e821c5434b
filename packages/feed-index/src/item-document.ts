import type { estypes } from '@elastic/elasticsearch';
import type { Item, Labels, Offer } from './item.ts';
import type { DayRange } from './packed-nights.ts';

/** The members that an item and its document have in common, under the same names. */
type CommonMembers = Omit<Item, 'labels' | 'title_words' | 'feed_item' | 'calendar'>;
/** The served content. It comes last in a document, because the query service finds it fastest there. */
type ServedMembers = Pick<Item, 'feed_item' | 'calendar'>;

export interface DatesAtPrice {
  price: number;
  /**
   * The dates, in ascending order. A date occurs in only one group of an item, so a count by date counts the
   * item once.
   */
  date: string[];
}

/**
 * A document of an items index: one nested document per distinct price
 * (docs/decisions/0049-offers-by-price.md), and the words of the title
 * (docs/decisions/0058-title-words.md).
 */
export interface ItemDocument extends CommonMembers, ServedMembers {
  /** The price in BRL. */
  price: number;
  labels: Labels;
  offers: DatesAtPrice[];
  title_words: string[];
  /** The code of the state, or the slug of a string that names no state (`states.ts`). */
  state?: string;
  rating?: number;
  /** The lowest and the highest price of the available dates, in BRL. */
  lowest_night?: number;
  highest_night?: number;
  /** The whole calendar as packed bytes in base64 (`packed-nights.ts`). */
  nights?: string;
  /** The runs of consecutive dates that the calendar contains, available or not. */
  known_days?: DayRange[];
}

/** The members that a document of mapping 3 does not have. */
export type NewIn4 = 'state' | 'rating' | 'lowest_night' | 'highest_night' | 'nights' | 'known_days';

/** The content that the documents of all mappings have in common, with one offer per date. */
export interface ItemContent extends CommonMembers, ServedMembers {
  /** The offers, in ascending order of dates. */
  offers: Offer[];
}

/** The form of item documents in one version of the items index. All functions are pure. */
export interface ItemMapping {
  version: number;
  properties: Record<string, estypes.MappingProperty>;
  documentOf(item: Item): ItemDocument;
  /** Returns the content in a form that allows comparing documents of different versions. */
  contentOf(document: ItemDocument): ItemContent;
}

/** The top-level fields of the index. `open_dates` is copied from the offers. */
export type IndexedField = keyof ItemDocument | 'open_dates';

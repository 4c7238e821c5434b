import type { SortPosition } from '../request/sort-position.ts';
import type { StoredItem } from './stored-item.ts';

/** An item in a search result, with its sort position. */
export type FoundItem = StoredItem & { position: SortPosition };

/** The number of items that are available on one date, and their lowest and highest price in BRL. */
export interface DateOffers {
  date: string;
  items: number;
  minPrice: number;
  maxPrice: number;
}

/** The number of items that are available for a whole stay, and the lowest and highest total in BRL. */
export interface StayOffers {
  /** The first and the last night, as YYYY-MM-DD. */
  from: string;
  to: string;
  items: number;
  minTotal: number;
  maxTotal: number;
}

/** A page of items, the exact number of matching items, and the requested counts by date. */
export interface FoundPage {
  total: number;
  items: FoundItem[];
  offersByDate: DateOffers[];
  /**
   * The requested stays for which an item is available. The list is absent if the request does not ask for
   * stays.
   */
  stays?: StayOffers[];
}

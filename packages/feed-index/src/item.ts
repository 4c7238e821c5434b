import type { AdType } from './ad-types.ts';

/** An item of both feeds. The agent feed adds `availability`. Rule: docs/reference/rules.md#feed-item. */
export interface FeedItem {
  id: string;
  title: string;
  description?: string;
  category?: string;
  sub_category?: string;
  price: number;
  currency: 'BRL';
  location: { city: string; state?: string; country: 'BR' };
  provider?: { name: string; slug?: string };
  rating?: number;
  review_count?: number;
  images?: string[];
  url: string;
}

/** One date of an item's calendar: `date` as YYYY-MM-DD, `price` in BRL. */
export interface Availability {
  date: string;
  available: boolean;
  price: number;
}

export interface Labels {
  city: string;
  category?: string;
  sub_category?: string;
}

/** An item as the rules derive it from a state. It does not depend on the mapping of an index. */
export interface Item {
  id: string;
  /**
   * The time of publication, in epoch milliseconds. The feeds sort items by this member, newest first, and
   * then by `id`, ascending.
   */
  published_at: number;
  ad_type?: AdType;
  /** Slugs. */
  city?: string;
  category?: string;
  sub_category?: string;
  /** The original texts of these slugs. Lists of filter values show these texts. */
  labels: Labels;
  /** The words of the title in lower case and without accents, for searches. */
  title_words: string[];
  point?: { lat: number; lon: number };
  feed_item: FeedItem;
  /** Every date in the calendar, in ascending order. */
  calendar: Availability[];
}

/** An available date and its price in BRL. */
export interface Offer {
  date: string;
  price: number;
}

/** Returns an item's available dates in ascending order. */
export const offersOf = ({ calendar }: Pick<Item, 'calendar'>): Offer[] =>
  calendar.filter(({ available }) => available).map(({ date, price }) => ({ date, price }));

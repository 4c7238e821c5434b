import { hash } from 'node:crypto';
import type { ItemDocument } from '@vitrine/feed-index';
import { canonicalJson } from '@vitrine/listing';

/** The members of an item that a source can name, as the feeds serve them. */
export type ViewedItem = Pick<ItemDocument, 'ad_type' | 'published_at' | 'point' | 'feed_item' | 'calendar'>;

/** The comparable members of an item. The parts of a location and of a provider are members of their own. */
export const VIEWED = [
  'ad_type',
  'title',
  'description',
  'category',
  'sub_category',
  'price',
  'location.city',
  'location.state',
  'location.point',
  'provider.name',
  'provider.slug',
  'rating',
  'review_count',
  'images',
  'url',
  'published_at',
  'availability',
] as const;
export type Viewed = (typeof VIEWED)[number];
export type ListingView = Record<Viewed, unknown>;

const VIEWED_OF: Readonly<Record<string, readonly Viewed[]>> = {
  location: ['location.city', 'location.state', 'location.point'],
  'location.lat': ['location.point'],
  'location.lng': ['location.point'],
  provider: ['provider.name', 'provider.slug'],
};

/** The comparable members that a name in the source covers. */
export const viewedOf = (name: string): readonly Viewed[] => VIEWED_OF[name] ?? [name as Viewed];

/**
 * Returns the comparable members of an item. A date without a price of its own has the item's price, so this
 * price is left out. An unavailable date without a price of its own is left out, because, like an absent
 * date, it cannot be booked. The source may have no row for such a date, but the feed keeps the date until an
 * event replaces the calendar. Pure.
 * @param today YYYY-MM-DD. The feeds serve no earlier dates, and a source may have deleted them.
 */
export function viewOf(item: ViewedItem, today: string): ListingView {
  const { feed_item: served, calendar = [] } = item;
  return {
    ad_type: item.ad_type,
    title: served.title,
    description: served.description,
    category: served.category,
    sub_category: served.sub_category,
    price: served.price,
    'location.city': served.location.city,
    'location.state': served.location.state,
    'location.point': item.point,
    'provider.name': served.provider?.name,
    'provider.slug': served.provider?.slug,
    rating: served.rating,
    review_count: served.review_count,
    images: served.images,
    url: served.url,
    published_at: new Date(item.published_at).toISOString(),
    availability: calendar
      .filter(({ date, available, price }) => date >= today && (available || price !== served.price))
      .map(({ date, available, price }) => [date, available, ...(price === served.price ? [] : [price])]),
  };
}

const LONGEST_PLAIN = 64;

/**
 * A short string that is equal for equal values: the value's JSON, or the SHA-256 of the JSON if that is
 * shorter. Pure.
 */
export function fingerprint(value: unknown): string {
  const text = value === undefined ? '' : canonicalJson(value);
  return text.length <= LONGEST_PLAIN ? text : hash('sha256', text, 'base64');
}

import type { Availability, FeedItem, Item } from '@vitrine/feed-index';
import type { ListingFields } from '@vitrine/listing-events';
import { HIDDEN, type ListingState } from './listing-state.ts';
import { normalizeUrl } from './listing-url.ts';
import {
  defined,
  images,
  point,
  provider,
  publishedAt,
  rating,
  reviewCount,
  fieldValue as value,
} from './optional-members.ts';
import { normalizeText, slugify, wordsOf } from './text.ts';

/** The reasons why a listing is not in the feed, in the order in which they are checked. */
export const HIDDEN_REASONS = ['removed', 'title', 'price', 'location', 'url'] as const;
export type HiddenReason = (typeof HIDDEN_REASONS)[number];

export type Derived<I = Item> = { item: I; hidden?: never } | { hidden: HiddenReason; item?: never };

/**
 * The rules that derive items from states, and their version. A generation is built with one version.
 * @typeParam I an item, or its document in one index
 */
export interface Rules<I = Item> {
  version: number;
  derive(id: string, state: ListingState): Derived<I>;
  /** The reason that `derive` gives, without the cost of an item. Rules without it derive the item. */
  hiddenReason?: (state: ListingState) => HiddenReason | undefined;
}

/**
 * Increment this whenever the same state yields a different item. After an increment, a rebuild updates the
 * feed.
 */
const RULES_VERSION = 2;

interface RequiredMembers {
  title: string;
  price: number;
  place: ListingFields['location'] | undefined;
  city: string;
  url: string;
}

function requiredMembers(state: ListingState): RequiredMembers | { hidden: HiddenReason } {
  if (nothingLeft(state)) return { hidden: 'removed' };
  const title = normalizeText(value(state, 'title'));
  if (!title) return { hidden: 'title' };
  const price = roundToCents(value(state, 'price') ?? 0);
  if (!(price > 0)) return { hidden: 'price' };
  const place = value(state, 'location');
  const city = normalizeText(place?.city);
  if (!city) return { hidden: 'location' };
  const url = normalizeUrl(value(state, 'url'));
  if (!url) return { hidden: 'url' };
  return { title, price, place, city, url };
}

/** Derives the feed item from the state of a listing, or the reason why the listing is hidden. Pure. */
export function deriveItem(id: string, state: ListingState): Derived {
  const required = requiredMembers(state);
  if ('hidden' in required) return required;
  const { title, price, place, city, url } = required;
  const feedItem: FeedItem = {
    id,
    title,
    ...defined('description', normalizeText(value(state, 'description'))),
    ...defined('category', slugify(value(state, 'category'))),
    ...defined('sub_category', slugify(value(state, 'sub_category'))),
    price,
    currency: 'BRL',
    location: { city, ...defined('state', normalizeText(place?.state)), country: 'BR' },
    ...defined('provider', provider(value(state, 'provider'))),
    ...defined('rating', rating(value(state, 'rating'))),
    ...defined('review_count', reviewCount(value(state, 'review_count'))),
    ...defined('images', images(value(state, 'images'))),
    url,
  };
  return {
    item: {
      id,
      published_at: publishedAt(state),
      ...defined('ad_type', value(state, 'ad_type')),
      ...defined('city', slugify(place?.city)),
      ...defined('category', feedItem.category),
      ...defined('sub_category', feedItem.sub_category),
      labels: {
        city,
        ...(feedItem.category && defined('category', normalizeText(value(state, 'category')))),
        ...(feedItem.sub_category && defined('sub_category', normalizeText(value(state, 'sub_category')))),
      },
      title_words: wordsOf(title),
      ...defined('point', point(place)),
      feed_item: feedItem,
      calendar: availability(state, price),
    },
  };
}

export const RULES: Rules = {
  version: RULES_VERSION,
  derive: deriveItem,
  hiddenReason: (state) => {
    const required = requiredMembers(state);
    return 'hidden' in required ? required.hidden : undefined;
  },
};

function nothingLeft({ removed, fields, dates }: ListingState): boolean {
  return (
    removed !== 0 &&
    Object.keys(fields).length === 0 &&
    Object.values(dates).every((entry) => entry === HIDDEN)
  );
}

function availability(state: ListingState, itemPrice: number): Availability[] {
  const calendar: Availability[] = [];
  for (const date of Object.keys(state.dates).sort()) {
    const entry = state.dates[date];
    if (entry) calendar.push({ date, available: entry[1], price: roundToCents(entry[2] ?? 0) || itemPrice });
  }
  return calendar;
}

/** Rounds an amount in BRL to two decimals, half up (docs/reference/rules.md#money). */
const roundToCents = (amount: number): number => Math.floor(amount * 100 + 0.5) / 100;

/** An item, the reason why the listing is hidden, or a description of how the rules failed. */
export type Attempt<I = Item> =
  | (Derived<I> & { failure?: never })
  | { failure: string; item?: never; hidden?: never };

/**
 * Derives an item. If the rules throw, the function returns a description of the error, because the error
 * affects only one listing.
 */
export function deriveSafely<I>(rules: Rules<I>, id: string, state: ListingState): Attempt<I> {
  try {
    return rules.derive(id, state);
  } catch (error) {
    return { failure: `the rules could not derive the item: ${String(error)}` };
  }
}

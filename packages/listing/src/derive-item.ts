import type { Availability, FeedItem, Item, RulesVersion } from '@vitrine/feed-index';
import type { ListingFields } from '@vitrine/listing-events';
import { describeValue } from './describe-value.ts';
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
import { wordsOf } from './text.ts';
import { type TextRules, type Texts, textsWith } from './text-rules.ts';

/** The reasons why a listing is not in the feed, in the order in which they are checked. */
export const HIDDEN_REASONS = ['removed', 'title', 'price', 'location', 'url'] as const;
export type BuiltInReason = (typeof HIDDEN_REASONS)[number];

declare const ofModule: unique symbol;
/** A reason that a rules module declares. No other string has this type. */
export type ModuleReason = string & { readonly [ofModule]: true };
export type HiddenReason = BuiltInReason | ModuleReason;

/** Whether the built-in rules hide a listing for this reason. */
export const isBuiltIn = (reason: string): reason is BuiltInReason =>
  (HIDDEN_REASONS as readonly string[]).includes(reason);

export type Derived<I = Item> = { item: I; hidden?: never } | { hidden: HiddenReason; item?: never };

/**
 * The rules that derive items from states, and their version. Each generation is built with one version.
 * @typeParam I an item, or its document in one index
 */
export interface Rules<I = Item> {
  version: RulesVersion;
  /**
   * The reasons that a rules module declares, each with its text for people. They are absent if there is no
   * module.
   */
  reasons?: Readonly<Record<string, string>>;
  derive(id: string, state: ListingState): Derived<I>;
  /**
   * Derives an item without the reasons from a rules module. This function is absent if there is no module.
   */
  complete?: (id: string, state: ListingState) => Derived;
  /**
   * Returns the reason that `derive` would give, without the cost of deriving an item. Without this function,
   * callers use `derive`.
   */
  hiddenReason?: (state: ListingState) => HiddenReason | undefined;
}

/**
 * Increment this version whenever the same state yields a different item. After an increment, only a rebuild
 * updates the feed.
 */
const RULES_VERSION = 2;

interface RequiredMembers {
  title: string;
  price: number;
  place: ListingFields['location'] | undefined;
  city: string;
  url: string;
}

function requiredMembers(state: ListingState, texts: Texts): RequiredMembers | { hidden: HiddenReason } {
  if (nothingLeft(state)) return { hidden: 'removed' };
  const title = texts.text('title', value(state, 'title'));
  if (!title) return { hidden: 'title' };
  const price = roundToCents(value(state, 'price') ?? 0);
  if (!(price > 0)) return { hidden: 'price' };
  const place = value(state, 'location');
  const city = texts.text('city', place?.city);
  if (!city) return { hidden: 'location' };
  const url = normalizeUrl(value(state, 'url'));
  if (!url) return { hidden: 'url' };
  return { title, price, place, city, url };
}

/**
 * Derives a listing's item from its state, or the reason why the listing is hidden. Pure.
 * @throws the errors from the text rules
 */
export function deriveItem(id: string, state: ListingState, textRules?: TextRules): Derived {
  const texts = textsWith(textRules);
  const required = requiredMembers(state, texts);
  if ('hidden' in required) return required;
  const { title, price, place, city, url } = required;
  const feedItem: FeedItem = {
    id,
    title,
    ...defined('description', texts.text('description', value(state, 'description'))),
    ...defined('category', texts.slug('category', value(state, 'category'))),
    ...defined('sub_category', texts.slug('sub_category', value(state, 'sub_category'))),
    price,
    currency: 'BRL',
    location: { city, ...defined('state', texts.text('state', place?.state)), country: 'BR' },
    ...defined('provider', provider(value(state, 'provider'), texts)),
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
      ...defined('city', texts.slug('city', place?.city)),
      ...defined('category', feedItem.category),
      ...defined('sub_category', feedItem.sub_category),
      labels: {
        city,
        ...(feedItem.category && defined('category', texts.text('category', value(state, 'category')))),
        ...(feedItem.sub_category &&
          defined('sub_category', texts.text('sub_category', value(state, 'sub_category')))),
      },
      title_words: wordsOf(title),
      ...defined('point', point(place)),
      feed_item: feedItem,
      calendar: availability(state, price),
    },
  };
}

export const RULES: Rules & { version: number } = {
  version: RULES_VERSION,
  derive: (id, state) => deriveItem(id, state),
  hiddenReason: (state) => {
    const required = requiredMembers(state, textsWith(undefined));
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
 * Derives an item. If the rules throw, the function returns a description of the error, because an error must
 * affect only one listing.
 */
export function deriveSafely<I>(rules: Rules<I>, id: string, state: ListingState): Attempt<I> {
  try {
    return rules.derive(id, state);
  } catch (error) {
    return { failure: `the rules could not derive the item: ${describeValue(error)}` };
  }
}

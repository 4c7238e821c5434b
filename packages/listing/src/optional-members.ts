import type { FeedItem } from '@vitrine/feed-index';
import {
  FIRST_INSTANT,
  type FieldName,
  instantFault,
  LAST_INSTANT,
  type ListingFields,
  parseInstant,
} from '@vitrine/listing-events';
import type { ListingState } from './listing-state.ts';
import { normalizeUrl } from './listing-url.ts';
import { slugify } from './text.ts';
import { type Texts, textsWith } from './text-rules.ts';

/*
 * The rules for the members that an item can lack. `deriveItem` applies them, and `droppedMembers` reports
 * the values for which they return undefined.
 */

/** The value of a field, or undefined if the field was never set or is cleared. */
export const fieldValue = <K extends FieldName>(state: ListingState, name: K): ListingFields[K] | undefined =>
  state.fields[name]?.[1] ?? undefined;

/** Returns an object with this member, or an empty object if the member has no value. */
export const defined = <K extends string, V>(name: K, member: V | undefined): { [N in K]?: V } =>
  (member === undefined ? {} : { [name]: member }) as { [N in K]?: V };

/** A provider needs a name (docs/reference/rules.md#slugs). */
export function provider(
  raw: ListingFields['provider'] | undefined,
  texts: Texts = textsWith(undefined),
): FeedItem['provider'] | undefined {
  const name = texts.text('provider', raw?.name);
  return name
    ? { name, ...defined('slug', slugify(raw?.slug) ?? texts.slug('provider', raw?.name)) }
    : undefined;
}

export const MAX_RATING = 5;
export const rating = (raw: number | undefined): number | undefined =>
  raw !== undefined && raw >= 0 && raw <= MAX_RATING ? raw : undefined;

/**
 * The largest signed 32-bit integer, which every client can represent
 * (docs/reference/rules.md#other-members).
 */
export const MAX_REVIEW_COUNT = 2 ** 31 - 1;
export const reviewCount = (raw: number | undefined): number | undefined =>
  raw !== undefined && Number.isInteger(raw) && raw >= 0 && raw <= MAX_REVIEW_COUNT ? raw : undefined;

/** The valid images, each once. */
export function images(raw: string[] | undefined): string[] | undefined {
  const valid = new Set((raw ?? []).map(normalizeUrl).filter((image) => image !== undefined));
  return valid.size > 0 ? [...valid] : undefined;
}

/** A point needs both coordinates. */
export function point(
  place: ListingFields['location'] | undefined,
): { lat: number; lon: number } | undefined {
  return typeof place?.lat === 'number' && typeof place.lng === 'number'
    ? { lat: place.lat, lon: place.lng }
    : undefined;
}

/**
 * Release 1.1.0 stored times in any year. Its states stay readable, and a time that cannot be served counts
 * as absent.
 */
const servable = (time: string | undefined): number | undefined =>
  time === undefined || instantFault(time) !== undefined ? undefined : parseInstant(time);

/** The time by which the feeds order an item, in epoch milliseconds. */
export function publishedAt(state: ListingState): number {
  // A listing with a title always has `first_seen`, because only tombstones have no time.
  return servable(fieldValue(state, 'published_at')) ?? bounded(state.first_seen ?? 0);
}

const bounded = (instant: number): number => Math.min(Math.max(instant, FIRST_INSTANT), LAST_INSTANT);

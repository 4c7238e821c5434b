import type { AdType } from '@vitrine/feed-index/ad-types';
import type { Version } from './version.ts';

/** The listing fields that an event can set, before normalization. */
export interface ListingFields {
  ad_type: AdType;
  title: string;
  description: string;
  category: string;
  sub_category: string;
  price: number;
  location: { city?: string | null; state?: string | null; lat?: number | null; lng?: number | null };
  provider: { name?: string | null; slug?: string | null };
  rating: number;
  review_count: number;
  images: string[];
  url: string;
  published_at: string;
}

export type FieldName = keyof ListingFields;

/** Every field name, in the order of the schema. */
export const FIELD_NAMES = [
  'ad_type',
  'title',
  'description',
  'category',
  'sub_category',
  'price',
  'location',
  'provider',
  'rating',
  'review_count',
  'images',
  'url',
  'published_at',
] as const satisfies readonly FieldName[];

/** The fields to set. `null` clears a field. An absent field keeps its value. */
export type FieldChanges = { [K in FieldName]?: ListingFields[K] | null };

/** One calendar date: `date` as YYYY-MM-DD, `price` in BRL. */
export interface CalendarDate {
  date: string;
  available: boolean;
  price?: number | null;
}

interface EventHead {
  /** The listing's id, which equals the record's key. */
  id: string;
  /** The source increases the version with each event for the listing. */
  version: Version;
  /** The CloudEvents attribute `source`. It is absent for a Kafka tombstone. */
  source?: string;
  /** The event's `time` in epoch milliseconds. It is absent for a Kafka tombstone. */
  time?: number;
}

/**
 * An accepted event in the form that the fold processes. A snapshot has `fields` with every name (`null` for
 * absent fields) and, if it has a calendar, `mode: 'replace'`.
 */
export type ListingEvent =
  | (EventHead & { kind: 'snapshot'; fields: FieldChanges; dates?: CalendarDate[] })
  | (EventHead & { kind: 'changed'; fields: FieldChanges })
  | (EventHead & { kind: 'availability_changed'; mode: 'merge' | 'replace'; dates: CalendarDate[] })
  | (EventHead & { kind: 'removed' });

import type { FieldName, ListingFields, Version } from '@vitrine/listing-events';

/**
 * A field's value and the version that last set the field. The value `null` means that this version cleared
 * the field.
 */
type VersionedField<K extends FieldName> = readonly [version: Version, value: ListingFields[K] | null];

/**
 * A calendar date: the version that last set the date, its availability, and its own price in BRL, if any.
 * `HIDDEN` means that a removal or a replacement hides the date.
 */
export type VersionedDate = readonly [version: Version, available: boolean, price?: number] | typeof HIDDEN;

export const HIDDEN = 0;

/**
 * Everything known about a listing: the result of folding its events, regardless of the order in which they
 * arrive.
 */
export interface ListingState {
  /**
   * The version of the last removal, or 0 if there was none. Only values with a higher version are visible.
   */
  removed: Version;
  /**
   * The version of the last calendar replacement, or 0 if there was none. Dates with a lower version are not
   * visible.
   */
  replaced: Version;
  /** The earliest `time` of an accepted event, in epoch milliseconds. */
  first_seen?: number;
  /** The latest `time` of an accepted event, in epoch milliseconds. States from release 1.1.0 lack it. */
  last_time?: number;
  fields: { [K in FieldName]?: VersionedField<K> };
  /** The keys are dates as YYYY-MM-DD. */
  dates: Record<string, VersionedDate>;
}

/**
 * The maximum number of dates per listing, which corresponds to about ten years. Of all the dates that its
 * events have ever named, a state keeps the latest ones. Without a limit, valid events could make a state too
 * large for the index. Hidden dates count too, so which dates are kept does not depend on the order of the
 * events.
 */
export const MAX_DATES = 3660;

export const EMPTY_STATE: ListingState = { removed: 0, replaced: 0, fields: {}, dates: {} };

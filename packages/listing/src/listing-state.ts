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

/** Everything known about a listing: the fold of its events, regardless of the order in which they arrive. */
export interface ListingState {
  /** Version of the last removal, or 0 if there was none. Only values with a higher version are visible. */
  removed: Version;
  /**
   * Version of the last calendar replacement, or 0 if there was none. Dates with a lower version are not
   * visible.
   */
  replaced: Version;
  /** Earliest `time` of an accepted event, in epoch milliseconds. */
  first_seen?: number;
  /** Latest `time` of an accepted event, in epoch milliseconds. The states of 1.1.0 have none. */
  last_time?: number;
  fields: { [K in FieldName]?: VersionedField<K> };
  /** Keys are dates, YYYY-MM-DD. */
  dates: Record<string, VersionedDate>;
}

/**
 * Maximum number of dates per listing, about ten years. A state keeps the latest dates that its events ever
 * named. Without a limit, valid events could make a state too large for the index. Hidden dates count too, so
 * the kept dates do not depend on the order of the events.
 */
export const MAX_DATES = 3660;

export const EMPTY_STATE: ListingState = { removed: 0, replaced: 0, fields: {}, dates: {} };

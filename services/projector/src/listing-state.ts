import type { FieldName, ListingFields } from '@vitrine/listing-events';

/** A field and the version that last set it; `null` = cleared at that version. */
type VersionedField<K extends FieldName> = readonly [version: number, value: ListingFields[K] | null];

/**
 * A calendar date and the version that last set it; the price in BRL where it has its own.
 * `HIDDEN` = the date was seen, and a removal or replacement hides it.
 */
export type VersionedDate = readonly [version: number, available: boolean, price?: number] | typeof HIDDEN;

export const HIDDEN = 0;

/** All that is known of a listing: the fold of its events, whatever their order. */
export interface ListingState {
  /** Version of the last removal: nothing at or below it is visible. 0 = none. */
  removed: number;
  /** Version of the last replacement of the calendar: no date below it is visible. 0 = none. */
  replaced: number;
  /** The earliest `time` of any accepted event, in epoch milliseconds. */
  first_seen?: number;
  fields: { [K in FieldName]?: VersionedField<K> };
  /** By YYYY-MM-DD. */
  dates: Record<string, VersionedDate>;
}

/**
 * How many dates a listing keeps: the latest ones ever named, ten years of days. Without a bound a
 * source could grow a state by events, each of them valid, until no index takes it. Hidden dates
 * keep their place, since "the latest ever named" is what does not depend on the order of events.
 */
export const MAX_DATES = 3660;

export const EMPTY_STATE: ListingState = { removed: 0, replaced: 0, fields: {}, dates: {} };

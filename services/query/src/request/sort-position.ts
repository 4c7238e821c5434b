/** Coordinates in degrees, with Elasticsearch's names. */
export interface Point {
  lat: number;
  lon: number;
}

/**
 * The position of an item in a sort order: its sort key, then its id. The key is a number of
 * milliseconds, BRL, rating points or meters. It is null if an unrated item is ordered by rating, or an
 * item without coordinates by distance.
 */
export interface SortPosition {
  key: number | null;
  id: string;
}

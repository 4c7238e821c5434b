/** Coordinates in degrees, with the member names that Elasticsearch uses. */
export interface Point {
  lat: number;
  lon: number;
}

/**
 * The position of an item in a sort order: its sort key, then its id. The key is a number of milliseconds,
 * BRL, rating points or meters. The key is null if an unrated item is ordered by rating, or if an item
 * without coordinates is ordered by distance.
 */
export interface SortPosition {
  key: number | null;
  id: string;
}

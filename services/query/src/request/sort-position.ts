/** Coordinates in degrees, with Elasticsearch's names. */
export interface Point {
  lat: number;
  lon: number;
}

/**
 * The position of an item in a sort order: its sort key, then its id. The key is a number of milliseconds or
 * meters, or null if the item has no coordinates.
 */
export interface SortPosition {
  key: number | null;
  id: string;
}

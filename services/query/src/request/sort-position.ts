/** Degrees, named as Elasticsearch names them. */
export interface Point {
  lat: number;
  lon: number;
}

/**
 * The position of an item in an order: its sort key (milliseconds or metres; null = no coordinates), then its
 * id.
 */
export interface SortPosition {
  key: number | null;
  id: string;
}

import type { ItemDocument } from '@vitrine/feed-index';

type Point = NonNullable<ItemDocument['point']>;

/** Radius of the sphere that Elasticsearch uses, in meters. */
const EARTH_RADIUS = 6_371_008.7714;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Distance on the sphere, in meters. */
export function distance(a: Point, b: Point): number {
  const [north, east] = [radians(b.lat - a.lat), radians(b.lon - a.lon)];
  const h =
    Math.sin(north / 2) ** 2 + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(h)));
}

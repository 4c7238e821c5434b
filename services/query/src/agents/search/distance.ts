import type { Point } from '../../request/sort-position.ts';

/** Radius of the sphere that Elasticsearch uses, in kilometers. */
const EARTH_RADIUS_KM = 6_371.0087714;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Returns the great-circle distance in kilometers (haversine formula), rounded to 10 m. */
export function distanceKm(a: Point, b: Point): number {
  const [north, east] = [radians(b.lat - a.lat), radians(b.lon - a.lon)];
  const haversine =
    Math.sin(north / 2) ** 2 + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(east / 2) ** 2;
  const km = 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(haversine)));
  return Math.round(km * 100) / 100;
}

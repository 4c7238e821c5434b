/** The radius of Elasticsearch's sphere, so that both sides find the same items near a point. */
export const EARTH_RADIUS_METERS = 6_371_008.7714;

/**
 * Returns a point on the sphere as the text of a `cube`: in meters from its center, like `ll_to_earth` of
 * PostgreSQL's earthdistance. The straight line between two points grows with their distance on the sphere.
 * @param lat degrees
 * @param lon degrees
 */
export function cubeOf(lat: number, lon: number): string {
  const [north, east] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180];
  const axes = [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
  return `(${axes.map((axis) => axis * EARTH_RADIUS_METERS).join(',')})`;
}

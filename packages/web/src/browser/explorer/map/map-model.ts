import type { FeedItem } from '../feed-page.ts';
import { slugOf, stateCode } from '../names.ts';

/** A point in the map's units: 50 per degree, east of 74.5° W and south of 5.75° N. */
export interface Point {
  x: number;
  y: number;
}

/** The outlines of the states and the places of the cities, by the state's code (decision 0127). */
export interface MapData {
  states: Record<string, { path: string; label: readonly [number, number] }>;
  /** `name x y name x y …` with slugs as names. */
  cities: Record<string, string>;
}

/** The visible part of the map. */
export interface View extends Point {
  /** The number of map units per pixel. */
  scale: number;
}

/** The size of an element in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** Listings whose labels would hide each other, at the place of the first listing. */
export interface Marker {
  point: Point;
  items: FeedItem[];
  /** Whether the listings are in several cities. If they are, a closer view separates them. */
  isSpread: boolean;
}

/** The space of a marker's label in pixels. */
export const LABEL: Size = { width: 104, height: 56 };
const BRAZIL: readonly Point[] = [
  { x: 30, y: 20 },
  { x: 2_000, y: 1_990 },
];
/** The scales for the closest and the farthest view. */
export const CLOSEST = 0.1;
const FARTHEST = 12;
/** A view of one city shows the region around it. */
const LEAST_SCALE = 0.6;

/**
 * The place of a city. The feed's items have no coordinates, so a listing is shown in its city.
 * @returns undefined if the city is unknown, or if it is in several states and the item names no state
 */
export function placeOf({ cities }: MapData, { city, state }: FeedItem['location']): Point | undefined {
  const pattern = new RegExp(`(?:^| )${slugOf(city)} (\\d+) (\\d+)`);
  const searched = state === undefined ? Object.values(cities) : [cities[stateCode(state)] ?? ''];
  const [found, ...others] = searched.flatMap((text) => {
    const [, x, y] = pattern.exec(text) ?? [];
    return x === undefined ? [] : [{ x: Number(x), y: Number(y) }];
  });
  return others.length === 0 ? found : undefined;
}

/** Returns the closest view that shows all points with their labels, or Brazil if there are no points. */
export function fit(points: readonly Point[], { width, height }: Size, leastScale = LEAST_SCALE): View {
  const shown = points.length > 0 ? points : BRAZIL;
  const [xs, ys] = [shown.map(({ x }) => x), shown.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [spanX, spanY] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const scale = Math.max(
    spanX / Math.max(width - LABEL.width, 1),
    spanY / Math.max(height - 2 * LABEL.height, 1),
    leastScale,
  );
  return centered({ x: left + spanX / 2, y: top + spanY / 2 }, scale, { width, height });
}

const centered = ({ x, y }: Point, scale: number, { width, height }: Size): View => ({
  x: x - (scale * width) / 2,
  y: y - (scale * height) / 2,
  scale,
});

/** Returns a closer or farther view with the same center. @param factor below 1 for a closer view */
export function zoom(view: View, factor: number, size: Size): View {
  const center = { x: view.x + (view.scale * size.width) / 2, y: view.y + (view.scale * size.height) / 2 };
  return centered(center, Math.min(FARTHEST, Math.max(CLOSEST, view.scale * factor)), size);
}

/** Moves the view by this many pixels. */
export const pan = (view: View, right: number, down: number): View => ({
  ...view,
  x: view.x + right * view.scale,
  y: view.y + down * view.scale,
});

/** Joins the listings whose labels would overlap in this view. The first listing of a marker gives its place. */
export function cluster(placed: readonly { item: FeedItem; point: Point }[], { scale }: View): Marker[] {
  const markers: Marker[] = [];
  for (const { item, point } of placed) {
    const near = markers.find(
      (marker) =>
        Math.abs(marker.point.x - point.x) < LABEL.width * scale &&
        Math.abs(marker.point.y - point.y) < LABEL.height * scale,
    );
    if (near) {
      near.items.push(item);
      near.isSpread ||= near.point.x !== point.x || near.point.y !== point.y;
    } else markers.push({ point, items: [item], isSpread: false });
  }
  return markers;
}

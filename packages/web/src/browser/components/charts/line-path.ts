/**
 * A point on a line. `isAfterGap` means that nothing was measured between the previous point and this one.
 */
export interface LinePoint {
  /** The time, in epoch milliseconds. */
  at: number;
  value: number;
  isAfterGap?: boolean;
}

/** Splits a line at its gaps. Pure. */
export function segments(points: readonly LinePoint[]): LinePoint[][] {
  const all: LinePoint[][] = [];
  for (const point of points) {
    const last = all.at(-1);
    if (!last || point.isAfterGap) all.push([point]);
    else last.push(point);
  }
  return all;
}

/**
 * Returns the point at a time, or the last point if no time is given. Returns undefined if no point is near.
 * Pure.
 * @param within the largest distance in milliseconds
 */
export function nearest(
  points: readonly LinePoint[],
  at: number | undefined,
  within: number,
): LinePoint | undefined {
  if (at === undefined) return points.at(-1);
  const distance = (point: LinePoint) => Math.abs(point.at - at);
  const [best] = [...points].sort((a, b) => distance(a) - distance(b));
  return best && distance(best) <= within ? best : undefined;
}

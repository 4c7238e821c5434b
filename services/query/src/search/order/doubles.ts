/*
 * The doubles in ascending order, as consecutive whole numbers. Each double has the number after that of the
 * next smaller double. So halving an interval of numbers narrows any range of values, however unevenly the
 * values are spread.
 */

const SIGN = 1n << 63n;
const view = new DataView(new ArrayBuffer(8));

function ordinalOf(value: number): bigint {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  return bits >= SIGN ? SIGN - bits : bits;
}

function doubleAt(ordinal: bigint): number {
  view.setBigUint64(0, ordinal < 0n ? SIGN - ordinal : ordinal);
  return view.getFloat64(0);
}

/** Returns the next smaller double. */
export const nextBelow = (value: number): number => doubleAt(ordinalOf(value) - 1n);
/** Returns the next larger double, or Infinity after the largest number. */
export const nextAbove = (value: number): number => doubleAt(ordinalOf(value) + 1n);

/**
 * Divides the doubles from `least` to `most` into at most `parts` ranges with about the same number of
 * doubles.
 * @returns the distinct bounds, ascending: each range begins at its bound and ends before the next one. The
 *   last bound is above `most`.
 */
export function boundsBetween(least: number, most: number, parts: number): number[] {
  const [first, end] = [ordinalOf(least), ordinalOf(most) + 1n];
  const bounds = Array.from({ length: parts + 1 }, (_, i) =>
    doubleAt(first + ((end - first) * BigInt(i)) / BigInt(parts)),
  );
  return [...new Set(bounds)];
}

const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;
const ALL_UNITS = 0x10000;

/**
 * Compares two strings in the order of their UTF-8 bytes, as `COLLATE "C"` does. JavaScript compares UTF-16
 * units, and sorts characters above U+FFFF before those from U+E000 on. Pure.
 * @returns a negative number if `a` comes first, 0 if both are equal, otherwise a positive number
 */
export function compareIds(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Moves the surrogates, which encode the highest characters, above all other units. */
const rank = (unit: number): number =>
  unit < FIRST_SURROGATE
    ? unit
    : unit >= AFTER_SURROGATES
      ? unit - (AFTER_SURROGATES - FIRST_SURROGATE)
      : unit + (ALL_UNITS - AFTER_SURROGATES);

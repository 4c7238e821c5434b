const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/**
 * Compares two ids by their UTF-8 bytes, as Elasticsearch sorts keywords. UTF-16 code units have the same
 * order, except that the surrogates of higher characters precede U+E000 to U+FFFF.
 */
export function compareIds(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const a = one.charCodeAt(i);
    const b = other.charCodeAt(i);
    if (a !== b) return isSurrogate(a) === isSurrogate(b) || Math.min(a, b) < FIRST_SURROGATE ? a - b : b - a;
  }
  return one.length - other.length;
}

const isSurrogate = (unit: number): boolean => unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE;

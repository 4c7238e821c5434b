import type { FacetValue } from '../search/facets.ts';
import { clipped } from './answer-text.ts';

const MAX_TYPING_ERRORS = 2;
const SAME_BEGINNING = 4;
const MAX_SUGGESTIONS = 5;
/** No argument can contain a longer value. */
export const MAX_VALUE_CHARACTERS = 200;

/**
 * Returns the values near a slug: within two typing errors, or with the same first four characters. Values with
 * fewer typing errors come first, then the most frequent ones.
 * @param values most frequent first
 */
export function nearValues(slug: string, values: readonly FacetValue[]): FacetValue[] {
  const beginning = slug.slice(0, SAME_BEGINNING);
  return values
    .filter(({ value }) => value.length <= MAX_VALUE_CHARACTERS)
    .map((value) => ({ value, errors: typingErrors(slug, value.value, MAX_TYPING_ERRORS) }))
    .filter(
      ({ value, errors }) =>
        errors <= MAX_TYPING_ERRORS ||
        (beginning.length === SAME_BEGINNING && value.value.startsWith(beginning)),
    )
    .sort((a, b) => a.errors - b.errors)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ value }) => ({ ...value, label: clipped(value.label) }));
}

/**
 * Counts the typing errors between two words: inserted, removed and replaced characters (Levenshtein's
 * distance). It compares only positions that are at most `max` apart, so the work grows with the length of
 * one word, not with its square.
 * @returns the number of errors, or `max + 1` if there are more than `max`
 */
export function typingErrors(a: string, b: string, max: number): number {
  const tooMany = max + 1;
  if (Math.abs(a.length - b.length) > max) return tooMany;
  // above[j] is the number of errors between the first i - 1 characters of a and the first j of b.
  let above = Array.from({ length: b.length + 1 }, (_, j) => Math.min(j, tooMany));
  let row = above.map(() => tooMany);
  for (let i = 1; i <= a.length; i++) {
    const first = Math.max(1, i - max);
    let before = first === 1 ? Math.min(i, tooMany) : tooMany;
    row[first - 1] = before;
    let least = before;
    for (let j = first; j <= Math.min(b.length, i + max); j++) {
      const replaced = (above[j - 1] ?? tooMany) + Number(a[i - 1] !== b[j - 1]);
      before = Math.min(replaced, (above[j] ?? tooMany) + 1, before + 1, tooMany);
      row[j] = before;
      if (before < least) least = before;
    }
    if (least === tooMany) return tooMany;
    [above, row] = [row, above];
  }
  return above[b.length] ?? tooMany;
}

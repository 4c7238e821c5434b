import type { FacetValue } from '../search/facets.ts';
import { clipped } from './answer-text.ts';
import { typingErrors } from './typing-errors.ts';

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

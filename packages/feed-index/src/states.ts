import { slugify } from '@vitrine/listing/text';
import { STATES } from './state-names.ts';

const CODE_OF_SLUG: ReadonlyMap<string, string> = new Map(
  STATES.flatMap(({ code, name }) => [
    [code, code],
    [slugify(name) ?? code, code],
  ]),
);

/**
 * Returns the code of a Brazilian state in lower case.
 * @param text a code or a name, in uppercase or lowercase, with or without accents
 * @returns undefined for any other text
 */
export const stateCodeOf = (text: string): string | undefined =>
  CODE_OF_SLUG.get(text.toLowerCase()) ?? CODE_OF_SLUG.get(slugify(text) ?? '');

/**
 * Returns the value of a state in the index: its code, or the slug of a string that names no state. The
 * filter `state` compares this value.
 * @returns undefined for a string without letters and digits
 */
export function stateValueOf(text: string): string | undefined {
  return stateCodeOf(text) ?? slugify(text);
}

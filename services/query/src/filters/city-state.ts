import { STATES } from '@vitrine/feed-index';
import { slugify } from '@vitrine/listing/text';

const CODES: ReadonlySet<string> = new Set(STATES.map(({ code }) => code));
/** The length of a hyphen and a code. */
const HYPHEN_AND_CODE = 3;

/**
 * Splits a slug that consists of a city and the code of the city's state: `bonito-ms`.
 * @returns undefined for any other slug
 */
export function cityAndState(slug: string): { city: string; state: string } | undefined {
  const state = slug.slice(-HYPHEN_AND_CODE + 1);
  const city = slug.slice(0, -HYPHEN_AND_CODE);
  return city !== '' && slug.at(-HYPHEN_AND_CODE) === '-' && CODES.has(state) ? { city, state } : undefined;
}

/** Returns whether a slug is only a state's code. After a city, the code would name the city's state. */
export const isCode = (slug: string): boolean => CODES.has(slug);

/** Joins each value that is the code of a state to the city before it: `Bonito,MS`. */
export function withStates(values: readonly string[]): string[] {
  const places: string[] = [];
  for (const value of values) {
    const [slug, before] = [value, places.at(-1)].map((text) => slugify(text ?? '') ?? '');
    const followsCity = before && !isCode(before) && cityAndState(before) === undefined;
    if (isCode(slug ?? '') && followsCity) places.push(`${places.pop()}-${value}`);
    else places.push(value);
  }
  return places;
}

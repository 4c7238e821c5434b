import { listValues } from '@vitrine/feed-index/filters';
import { STATES } from '@vitrine/feed-index/state-names';

/**
 * The names that this page has seen, by slug: the names of cities, and of categories with their
 * sub-categories.
 */
const places = new Map<string, string>();
const categories = new Map<string, string>();
const listeners = new Set<() => void>();

/** A value of a filter with its name. */
export interface NamedValue {
  value: string;
  label: string;
}

/** The facets whose names differ from their slugs. */
export type NamedFacet = 'city' | 'category' | 'sub_category';

const namesOf = (facet: NamedFacet) => (facet === 'city' ? places : categories);

/**
 * Remembers names from the data. A label that equals its slug is not a name. If a city is also in other
 * states, the tools add English words to its label. This function removes these words, which are unnecessary
 * next to the names that include a state.
 */
export function learnNames(facet: NamedFacet, values: readonly NamedValue[]): void {
  const names = namesOf(facet);
  const named = values.map(({ value, label }) => [value, label.replace(/ \(any state\)$/, '')] as const);
  const unknown = named.filter(([value, name]) => name !== value && names.get(value) !== name);
  for (const [value, name] of unknown) names.set(value, name);
  if (unknown.length > 0) for (const listener of listeners) listener();
}

/** Notes the city of an item, alone and with its state. */
export function learnCity({ city, state }: { city: string; state?: string }): void {
  const slug = slugOf(city);
  learnNames('city', [
    { value: slug, label: city },
    ...(state ? [{ value: `${slug}-${slugOf(state)}`, label: `${city}, ${state}` }] : []),
  ]);
}

/** Calls a listener when this page learns a name. @returns a function that ends the calls */
export function onNewNames(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether the data contained a name for this value. */
export const isNamed = (facet: NamedFacet, value: string): boolean => namesOf(facet).has(slugOf(value));

/** Returns a city's display name. @param text a slug ("bonito-ms") or any spelling */
export const placeName = (text: string): string => places.get(slugOf(text)) ?? readable(text);

/** Returns the display name of a category or a sub-category. @param text a slug or any spelling */
export const categoryName = (text: string): string => categories.get(slugOf(text)) ?? readable(text);

/** Returns the display name of a facet's value. @param text one value or a list */
export const nameOf = (facet: NamedFacet, text: string): string =>
  listValues(text)
    .map(facet === 'city' ? placeName : categoryName)
    .join(', ');

const stateOf = (text: string) =>
  STATES.find(({ code, name }) => code === slugOf(text) || slugOf(name) === slugOf(text));

/** The name of a state for people. @param text a code, a name or any spelling */
export const stateName = (text: string): string => stateOf(text)?.name ?? readable(text);

/** The code of a state in lower case, empty for an unknown one. @param text a code, a name or any spelling */
export const stateCode = (text: string): string => stateOf(text)?.code ?? '';

/**
 * Rule: docs/reference/rules.md#slugs. The slug serves only to find names, so rare characters do not matter.
 */
export const slugOf = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

/** A slug without a known name becomes words. Any other text stays as it is. */
function readable(text: string): string {
  if (!/^[a-z0-9-]+$/.test(text)) return text;
  const words = text.replaceAll('-', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

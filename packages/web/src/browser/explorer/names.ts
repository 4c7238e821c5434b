import { listValues } from '@vitrine/feed-index/filters';
import { STATES } from '@vitrine/feed-index/state-names';

/** The facets whose names differ from their slugs. */
export type NamedFacet = 'city' | 'category' | 'sub_category';

/**
 * The known names of each facet, by slug. They come only from facets, which name a value after most of its
 * listings. Many texts have one slug, so the text of one listing must not name the listings of others
 * (docs/decisions/0125-search-form.md).
 */
const names: Record<NamedFacet, Map<string, string>> = {
  city: new Map(),
  category: new Map(),
  sub_category: new Map(),
};
const listeners = new Set<() => void>();

/** A value of a filter with its name. */
export interface NamedValue {
  value: string;
  label: string;
}

/**
 * Remembers the names of a facet's values. A value keeps its first name, because the labels under further
 * filters may be those of a few listings. A label that equals its slug is not a name. If a city is also in
 * other states, the tools add English words to its label. This function removes these words, which are
 * unnecessary next to the names that include a state.
 */
export function learnNames(facet: NamedFacet, values: readonly NamedValue[]): void {
  const known = names[facet];
  const named = values.map(({ value, label }) => [value, label.replace(/ \(any state\)$/, '')] as const);
  const unknown = named.filter(([value, name]) => name !== value && !known.has(value));
  for (const [value, name] of unknown) known.set(value, name);
  if (unknown.length > 0) for (const listener of listeners) listener();
}

/** Forgets the names of a facet, and remembers those of its current values. */
export function replaceNames(facet: NamedFacet, values: readonly NamedValue[]): void {
  names[facet] = new Map();
  learnNames(facet, values);
}

/** Calls a listener when this page learns a name. @returns a function that ends the calls */
export function onNewNames(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether the data contained a name for this value. */
export const isNamed = (facet: NamedFacet, value: string): boolean => names[facet].has(slugOf(value));

/** Returns the display name of one value. @param text a slug ("bonito-ms") or any spelling */
export const valueName = (facet: NamedFacet, text: string): string =>
  names[facet].get(slugOf(text)) ?? readable(text);

/** Returns the display name of a facet's value. @param text one value or a list */
export const nameOf = (facet: NamedFacet, text: string): string =>
  listValues(text)
    .map((value) => valueName(facet, value))
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

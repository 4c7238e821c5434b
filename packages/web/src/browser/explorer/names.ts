import { listValues } from '@vitrine/feed-index/filters';
import { STATES } from '@vitrine/feed-index/state-names';

/** The facets whose names differ from their slugs. */
export type NamedFacet = 'city' | 'category' | 'sub_category';

type Names = Record<NamedFacet, Map<string, string>>;
const noNames = (): Names => ({ city: new Map(), category: new Map(), sub_category: new Map() });

/**
 * The known names of each facet, by slug. They come only from facets, which give a value the name that most
 * of its listings use. Different texts can have the same slug, so the text of one listing must not name the
 * listings of others (docs/decisions/0125-search-form.md).
 */
const names = noNames();
/** Names under other filters may be those of a few listings. They serve until the facet's own name is known. */
const provisional = noNames();
const listeners = new Set<() => void>();

/** A value of a filter with its name. */
export interface NamedValue {
  value: string;
  label: string;
}

const IN_STATE = /^(.+), ([A-Z]{2})$/;

/**
 * Remembers the names of a facet's values. A value keeps its first name. A label that equals its slug is not a
 * name. If a city is also in other states, the tools add English words to its label. This function removes
 * these words, which are unnecessary next to the names that include a state. A city that the facet names only
 * with states is also known without one.
 * @param isProvisional whether other filters limit the facet
 */
export function learnNames(facet: NamedFacet, values: readonly NamedValue[], isProvisional = false): void {
  const known = (isProvisional ? provisional : names)[facet];
  const named = values.flatMap(({ value, label }) => {
    const name = label.replace(/ \(any state\)$/, '');
    const [, city, state = ''] = (facet === 'city' && IN_STATE.exec(name)) || [];
    const suffix = `-${state.toLowerCase()}`;
    const isInState = city !== undefined && value.endsWith(suffix);
    return [[value, name] as const, ...(isInState ? [[value.slice(0, -suffix.length), city] as const] : [])];
  });
  const unknown = named.filter(([value, name]) => name !== value && !known.has(value));
  for (const [value, name] of unknown) if (!known.has(value)) known.set(value, name);
  if (unknown.length > 0) for (const listener of listeners) listener();
}

/** Replaces all names of a facet with those of its current values. */
export function replaceNames(facet: NamedFacet, values: readonly NamedValue[]): void {
  names[facet] = new Map();
  learnNames(facet, values);
}

/** Calls a listener when this page learns a name. @returns a function that ends the calls */
export function onNewNames(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether the facet itself contained a name for this value. */
export const isNamed = (facet: NamedFacet, value: string): boolean =>
  nameIn(names, facet, slugOf(value)) !== undefined;

/** Returns the display name of one value. @param text a slug ("bonito-ms") or any spelling */
export function valueName(facet: NamedFacet, text: string): string {
  const slug = slugOf(text);
  return nameIn(names, facet, slug) ?? nameIn(provisional, facet, slug) ?? readable(text);
}

/** Requests may name the state of a city that the facet names without its state. */
function nameIn(some: Names, facet: NamedFacet, slug: string): string | undefined {
  const [, city = '', state = ''] = (facet === 'city' && /^(.+)-([a-z]{2})$/.exec(slug)) || [];
  const name = some[facet].get(city);
  const isState = STATES.some(({ code }) => code === state);
  return (
    some[facet].get(slug) ?? (name !== undefined && isState ? `${name}, ${state.toUpperCase()}` : undefined)
  );
}

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

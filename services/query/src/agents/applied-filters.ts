import type { Labels } from '@vitrine/feed-index';
import type { FilterArguments, FilterName } from '@vitrine/feed-index/filters';
import { slugify } from '@vitrine/listing/text';
import { spellingsOf } from '../filters/apostrophes.ts';
import { cityAndState } from '../filters/city-state.ts';
import type { AppliedFilters } from '../filters/filter.ts';
import { FILTERS } from '../filters/index.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { clipped, identifier, joined, type Shown, say } from './answer-text.ts';
import type { Listing } from './listing-source.ts';

const MAX_LABEL = 80;
/** The limits of a brief form. Two lists of values and their labels take a tenth of the budget. */
const MAX_BRIEF_VALUES = 2;
const MAX_BRIEF_TEXT = 40;

/**
 * Returns the filters of a search. A label comes from a found listing, or else from the argument.
 * @param found a matching listing, if there is one
 */
export function appliedFilters(
  criteria: FeedCriteria,
  given: FilterArguments,
  found: Listing | undefined,
): AppliedFilters {
  const labelOf = (name: FilterName, slug: string) => {
    const texts = [found?.labels[name as keyof Labels], given[name as keyof FilterArguments]].flat();
    const inState = name === 'city' ? labelInState(slug, texts) : undefined;
    const isList = String(criteria[name as keyof FeedCriteria]) !== slug;
    const label = texts.find((text) => text !== undefined && (!isList || slugify(String(text)) === slug));
    return clipped(String(inState ?? label ?? slug), MAX_LABEL);
  };
  return Object.assign({}, ...FILTERS.map((filter) => filter.applied(criteria, labelOf))) as AppliedFilters;
}

/** Returns the label of a city with its state, if one of the texts is the city's name alone. */
function labelInState(slug: string, texts: readonly unknown[]): string | undefined {
  const place = cityAndState(slug);
  if (place === undefined) return undefined;
  const cities = spellingsOf(place.city);
  const city = texts.find((text) => text !== undefined && cities.includes(slugify(String(text)) ?? ''));
  return city === undefined ? undefined : `${city}, ${place.state.toUpperCase()}`;
}

/** Filters as an answer shows them. */
export type ShownFilters = AppliedFilters & {
  /** The number of values that a brief form leaves out, by the argument's name. */
  left_out?: { [name: string]: number };
};

/**
 * Shortens the filters for an answer that has no room for all their values. It keeps the first values of each
 * list, cuts their texts, and counts the other values.
 */
export function briefFilters(filters: AppliedFilters): ShownFilters {
  const brief: Record<string, unknown> = {};
  const left_out: Record<string, number> = {};
  for (const [name, applied] of Object.entries<unknown>(filters)) {
    const values = Array.isArray(applied) ? applied : [applied];
    const cut = values.slice(0, MAX_BRIEF_VALUES).map(cutTexts);
    brief[name] = cut.length > 1 ? cut : cut[0];
    if (values.length > cut.length) left_out[name] = values.length - cut.length;
  }
  return { ...brief, ...(Object.keys(left_out).length > 0 && { left_out }) };
}

const cutTexts = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value).map(([name, text]) => [name, clipped(String(text), MAX_BRIEF_TEXT)]),
      )
    : value;

/** Describes the filters in a line of text. Returns no line if there are no filters. */
export function filtersLine({ left_out = {}, ...filters }: ShownFilters): Shown[] {
  const texts = [
    ...FILTERS.flatMap((filter) => filter.appliedText(filters)),
    ...Object.entries(left_out).map(([name, count]) => say`${count} values of ${identifier(name)} left out`),
  ];
  return texts.length > 0 ? [say`Filters: ${joined(texts, '; ')}`] : [];
}

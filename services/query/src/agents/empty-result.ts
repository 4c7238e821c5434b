import { type Facet, SUGGESTED_FILTERS, type SuggestedFilter } from '@vitrine/feed-index/filters';
import { valuesOf } from '../filters/filter.ts';
import { FILTERS } from '../filters/index.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { filterValue, identifier, joined, quoted, type Shown, say } from './answer-text.ts';
import type { ListingSource } from './listing-source.ts';
import { nearValues, type SuggestedValue } from './suggest/suggestions.ts';

/** The reasons why a search found nothing. */
export interface EmptyResult {
  /** For each of the search's filters, the total without that filter. `date` stands for the range. */
  without: { filter: string; total: number }[];
  /**
   * Existing values near the given ones, by filter. The list is empty if an unknown value has no near values.
   */
  suggestions: Suggestions;
  /**
   * The number of listings that match the other filters and have no calendar entry on some requested date. It
   * is undefined if the search has no dates.
   */
  calendarUnknown?: number | undefined;
}

export type Suggestions = Partial<Record<Facet, SuggestedValue[]>>;

/** A word for one level may be a value of the other level. */
export const OTHER_LEVEL: { readonly [F in Facet]?: SuggestedFilter } = {
  category: 'sub_category',
  sub_category: 'category',
};

/** Finds out which filter emptied the result, and which existing values are near the given ones. */
export async function explainEmptyResult(
  source: ListingSource,
  sorted: FeedCriteria,
  signal: AbortSignal,
): Promise<EmptyResult> {
  // Counts have no order, and the order by total needs the dates.
  const criteria = omit(sorted, ['sort']);
  const asked = FILTERS.flatMap(({ removals }) => Object.entries(removals)).filter(([, members]) =>
    members.some((member) => criteria[member] !== undefined),
  );
  const without = await Promise.all(
    asked.map(async ([filter, members]) => ({
      filter,
      total: await source.total(omit(criteria, members), signal),
    })),
  );
  const suggestions = await Promise.all(
    SUGGESTED_FILTERS.map((name) => suggest(source, criteria, name, signal)),
  );
  return {
    without: without.sort((a, b) => b.total - a.total),
    suggestions: Object.assign({}, ...suggestions) as Suggestions,
    calendarUnknown: await source.calendarUnknown(criteria, signal),
  };
}

/**
 * Suggests values that exist under the other filters, or else in the whole market. A value that is unknown as
 * a category may be a sub-category, and vice versa.
 * @returns the suggestions for the first unknown value, by filter. They are empty if all values exist
 */
async function suggest(
  source: ListingSource,
  criteria: FeedCriteria,
  name: SuggestedFilter,
  signal: AbortSignal,
): Promise<Suggestions> {
  const joined = criteria[name];
  if (joined === undefined) return {};
  const market: FeedCriteria = { feed: criteria.feed, pageSize: 1 };
  const everywhere = await source.facet(market, name, signal);
  const slug = await firstUnknown(valuesOf(joined), everywhere, (one) =>
    source.total({ ...market, [name]: one }, signal),
  );
  if (slug === undefined) return {};
  const others = omit(criteria, [name]);
  const here = nearValues(slug, await source.facet(others, name, signal));
  const near = { [name]: here.length > 0 ? here : nearValues(slug, everywhere) };
  const otherLevel = OTHER_LEVEL[name];
  if (otherLevel === undefined || criteria[otherLevel] !== undefined) return near;
  const sameWord = nearValues(slug, await source.facet(others, otherLevel, signal));
  return { ...near, ...(sameWord.length > 0 && { [otherLevel]: sameWord }) };
}

/**
 * Returns the first value that does not exist. The filter also finds other spellings of a value, and cities
 * with their states, so a value without a facet entry is unknown only if a count finds no listing.
 */
async function firstUnknown(
  slugs: readonly string[],
  everywhere: readonly SuggestedValue[],
  totalOf: (slug: string) => Promise<number>,
): Promise<string | undefined> {
  for (const slug of slugs)
    if (!everywhere.some(({ value }) => value === slug) && (await totalOf(slug)) === 0) return slug;
  return undefined;
}

function omit(criteria: FeedCriteria, members: readonly (keyof FeedCriteria)[]): FeedCriteria {
  const rest = { ...criteria };
  for (const member of members) delete rest[member];
  return rest;
}

/** Describes in lines of text why the search found nothing. */
export function emptyResultText({ without, suggestions, calendarUnknown = 0 }: EmptyResult): Shown[] {
  const asked = without.map(({ filter }) => filter);
  const decisive = without.filter(({ total }) => total > 0);
  return [
    ...(without.length === 0
      ? []
      : decisive.length === 0
        ? [say`No single filter is the reason: without any one of them, there is still nothing.`]
        : [
            say`Listings without one filter: ${joined(
              decisive.map(({ filter, total }) => say`${identifier(filter)} ${total}`),
              ', ',
            )}`,
          ]),
    ...(calendarUnknown === 0
      ? []
      : [
          say`calendar_unknown: the calendars of ${calendarUnknown} listings that match the other filters lack at least one of these dates. Such a date is unknown, not taken: the listing may be free. A search without dates and with detail: detailed shows calendar_until, the last known date of each.`,
        ]),
    ...Object.entries(suggestions).map(([filter, values]) => suggestionText(filter, values, asked)),
  ];
}

function suggestionText(filter: string, values: readonly SuggestedValue[], asked: readonly string[]): Shown {
  const name = identifier(filter);
  const list = joined(
    values.map(({ value, label, count }) => say`${filterValue(value)} (${quoted(label)}, ${count})`),
    ', ',
  );
  if (!asked.includes(filter)) return say`Set ${name} instead: ${list}`;
  if (values.length > 0) return say`No such ${name}. Near values: ${list}`;
  return say`No such ${name} in the whole market, and no value is near. list_facets lists the existing values.`;
}

/** Returns the first `count` values of all suggestions. A filter without values keeps its empty list. */
export function firstSuggestions(suggestions: Suggestions, count: number): Suggestions {
  let left = count;
  const entries = Object.entries(suggestions).map(([filter, values]) => {
    const first = values.slice(0, left);
    left -= first.length;
    return { filter, first, isCut: first.length < values.length };
  });
  // A list whose values were all left out would look as if no value were near.
  const kept = entries.filter(({ first, isCut }) => first.length > 0 || !isCut);
  return Object.fromEntries(kept.map(({ filter, first }) => [filter, first]));
}

/** Number of values in all suggestions. */
export const countSuggestions = (suggestions: Suggestions): number =>
  Object.values(suggestions).reduce((sum, values) => sum + values.length, 0);

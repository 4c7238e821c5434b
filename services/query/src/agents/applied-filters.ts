import type { FilterArguments } from '@vitrine/feed-index/filters';
import type { AppliedFilters } from '../filters/filter.ts';
import { FILTERS } from '../filters/index.ts';
import type { FeedCriteria } from '../request/criteria.ts';
import { clipped, joined, type Shown, say } from './answer-text.ts';
import type { Listing } from './listing-source.ts';

const MAX_LABEL = 80;

/**
 * Returns the filters of a search. A label comes from a found listing, or else from the argument.
 * @param found a matching listing, if there is one
 */
export function appliedFilters(
  criteria: FeedCriteria,
  given: FilterArguments,
  found: Listing | undefined,
): AppliedFilters {
  const labels: Partial<Record<string, unknown>> = { ...given, ...found?.labels };
  const labelOf = (name: string, slug: string) => clipped(String(labels[name] ?? slug), MAX_LABEL);
  return Object.assign({}, ...FILTERS.map((filter) => filter.applied(criteria, labelOf))) as AppliedFilters;
}

/** Describes the filters in a line of text. No line without filters. */
export function filtersLine(filters: AppliedFilters): Shown[] {
  const texts = FILTERS.flatMap((filter) => filter.appliedText(filters));
  return texts.length > 0 ? [say`Filters: ${joined(texts, '; ')}`] : [];
}

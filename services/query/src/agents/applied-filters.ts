import type { Labels } from '@vitrine/feed-index';
import type { FilterArguments, FilterName } from '@vitrine/feed-index/filters';
import { slugify } from '@vitrine/listing/text';
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
  const labelOf = (name: FilterName, slug: string) => {
    const texts = [found?.labels[name as keyof Labels], given[name as keyof FilterArguments]].flat();
    const isList = String(criteria[name as keyof FeedCriteria]) !== slug;
    const label = texts.find((text) => text !== undefined && (!isList || slugify(String(text)) === slug));
    return clipped(String(label ?? slug), MAX_LABEL);
  };
  return Object.assign({}, ...FILTERS.map((filter) => filter.applied(criteria, labelOf))) as AppliedFilters;
}

/** Describes the filters in a line of text. No line without filters. */
export function filtersLine(filters: AppliedFilters): Shown[] {
  const texts = FILTERS.flatMap((filter) => filter.appliedText(filters));
  return texts.length > 0 ? [say`Filters: ${joined(texts, '; ')}`] : [];
}

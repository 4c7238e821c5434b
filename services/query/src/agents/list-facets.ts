import type { Facet, FilterArguments } from '@vitrine/feed-index/filters';
import { slugify } from '@vitrine/listing/text';
import type { FeedCriteria } from '../request/criteria.ts';
import { clipped, filterValue, identifier, joined, money, quoted, type Shown, say } from './answer-text.ts';
import { answerTime, todayText } from './answer-time.ts';
import { appliedFilters, briefFilters, filtersLine, type ShownFilters } from './applied-filters.ts';
import { countSuggestions, firstSuggestions, OTHER_LEVEL, type Suggestions } from './empty-result.ts';
import type { ListingSource } from './listing-source.ts';
import { matchingValues, nearValues, type SuggestedValue } from './suggest/suggestions.ts';
import { type Answer, type Draft, MAX_TOKENS } from './token-budget.ts';
import { criteriaOf } from './tool-arguments.ts';

export interface FacetArguments extends FilterArguments {
  facet: Facet;
  query?: string;
  limit: number;
}

/**
 * Lists the values of a filter with the number of matching listings, most frequent first.
 * @throws BadArguments; the errors of ListingSource
 */
export async function listFacets(
  source: ListingSource,
  args: FacetArguments,
  signal: AbortSignal,
): Promise<Draft> {
  const criteria = criteriaOf(args, 1);
  const all = await source.facet(criteria, args.facet, signal);
  const query = args.query?.trim() ?? '';
  const beginning = slugify(query) ?? '';
  // A query that consists only of symbols names nothing.
  const matching = query !== '' && beginning === '' ? [] : matchingValues(beginning, all);
  const near = matching.length === 0 ? nearValues(beginning, all) : [];
  const other = matching.length === 0 ? await otherLevel(source, args, criteria, beginning, signal) : [];
  const filters = appliedFilters(criteria, args, undefined);
  const time = answerTime(source.today());
  const listed = matching.slice(0, args.limit);
  const totals = await source.facetTotals(
    criteria,
    args.facet,
    listed.map(({ value }) => value),
    signal,
  );
  const first = listed.map(({ value, label, count, minPrice }) => {
    const total = totals.get(value);
    return {
      value,
      label: clipped(label),
      count,
      min_price: minPrice,
      ...(total !== undefined && { min_total_price: total }),
    };
  });
  const suggested: Suggestions = {
    ...(near.length > 0 && { [args.facet]: near }),
    ...Object.fromEntries(other),
  };
  // There are suggestions only if no value matches.
  const elements = first.length > 0 ? first.length : countSuggestions(suggested);
  const render =
    (shownFilters: ShownFilters) =>
    (count: number): Answer => {
      const values = first.slice(0, count);
      const suggestions = firstSuggestions(suggested, count);
      const truncated = count < elements;
      const nearest = suggestions[args.facet] ?? [];
      const others = Object.entries(suggestions).filter(([facet]) => facet !== args.facet);
      return {
        text: joined(
          [
            say`${matching.length} values of ${args.facet}${query ? say` match ${filterValue(beginning || query)}` : ''}, ${values.length} shown: value, label, listings, lowest price${totals.size > 0 ? ', lowest total' : ''} in BRL`,
            todayText(time.today),
            ...filtersLine(shownFilters),
            listText(values),
            ...(nearest.length > 0 ? [say`Near values:\n${listText(nearest)}`] : []),
            ...others.map(([facet, found]) => say`Values of ${identifier(facet)}:\n${listText(found)}`),
          ],
          '\n',
        ),
        structured: {
          facet: args.facet,
          total: matching.length,
          values,
          ...(truncated && { truncated }),
          ...(Object.keys(suggestions).length > 0 && { suggestions }),
          applied_filters: shownFilters,
          ...time,
        },
      };
    };
  return { budget: MAX_TOKENS, elements, render: render(filters), brief: render(briefFilters(filters)) };
}

interface ListedValue extends SuggestedValue {
  min_price?: number;
  min_total_price?: number;
}

const listText = (values: readonly ListedValue[]): Shown =>
  joined(
    values.map(({ value, label, count, min_price, min_total_price }) =>
      joined(
        [
          say`${filterValue(value)} ${quoted(label)} ${count}`,
          ...(min_price === undefined ? [] : [money(min_price)]),
          ...(min_total_price === undefined ? [] : [money(min_total_price)]),
        ],
        ' ',
      ),
    ),
    '\n',
  );

/** A word that is not a category may be a sub-category, and vice versa. Returns such values by facet. */
async function otherLevel(
  source: ListingSource,
  { facet }: FacetArguments,
  criteria: FeedCriteria,
  beginning: string,
  signal: AbortSignal,
): Promise<[Facet, SuggestedValue[]][]> {
  const other = facet === 'ad_type' ? undefined : OTHER_LEVEL[facet];
  if (other === undefined || beginning === '') return [];
  const found = nearValues(beginning, await source.facet(criteria, other, signal));
  return found.length > 0 ? [[other, found]] : [];
}

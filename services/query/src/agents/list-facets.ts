import { slugify } from '@vitrine/listing/text';
import type { Facet } from '../search/facets.ts';
import { cell } from './answer-text.ts';
import { answerTime } from './answer-time.ts';
import { appliedFilters, filtersText } from './applied-filters.ts';
import type { ListingSource } from './listing-source.ts';
import { MAX_VALUE_CHARACTERS, nearValues } from './suggestions.ts';
import { type Answer, fitted, MAX_TOKENS } from './token-budget.ts';
import { criteriaOf, type FilterArguments } from './tool-arguments.ts';

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
): Promise<Answer> {
  const criteria = criteriaOf(args, 1);
  const all = await source.facet(criteria, args.facet, signal);
  const beginning = args.query === undefined ? '' : (slugify(args.query) ?? '');
  const matching = all.filter(
    ({ value }) => value.startsWith(beginning) && value.length <= MAX_VALUE_CHARACTERS,
  );
  const near = matching.length === 0 ? nearValues(beginning, all) : [];
  const filters = appliedFilters(criteria, args, undefined);
  const time = answerTime(source.today());
  const asked = matching.slice(0, args.limit);
  const list = (values: typeof all) =>
    values.map(({ value, label, count }) => `${value} ${cell(label)} ${count}`).join('\n');
  return fitted(asked.length, MAX_TOKENS, (count) => {
    const values = asked.slice(0, count);
    const truncated = count < asked.length;
    return {
      text: [
        `${matching.length} values of ${args.facet}${beginning ? ` begin with ${beginning}` : ''}, ${count} shown: value, label, listings`,
        ...(Object.keys(filters).length > 0 ? [`Filters: ${filtersText(filters)}`] : []),
        list(values),
        ...(near.length > 0 ? [`Near values:\n${list(near)}`] : []),
      ].join('\n'),
      structured: {
        facet: args.facet,
        total: matching.length,
        values,
        ...(truncated && { truncated }),
        ...(near.length > 0 && { suggestions: { [args.facet]: near } }),
        applied_filters: filters,
        ...time,
      },
    };
  });
}

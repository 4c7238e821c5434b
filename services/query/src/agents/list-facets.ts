import { slugify } from '@vitrine/listing/text';
import type { FeedCriteria } from '../request/criteria.ts';
import type { Facet, FacetValue } from '../search/facets.ts';
import { cell } from './answer-text.ts';
import { answerTime, todayText } from './answer-time.ts';
import { appliedFilters, filtersLine } from './applied-filters.ts';
import { OTHER_LEVEL } from './empty-result.ts';
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
  const other = matching.length === 0 ? await otherLevel(source, args, criteria, beginning, signal) : [];
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
        todayText(time.today),
        ...filtersLine(filters),
        list(values),
        ...(near.length > 0 ? [`Near values:\n${list(near)}`] : []),
        ...other.map(([facet, found]) => `Values of ${facet}:\n${list(found)}`),
      ].join('\n'),
      structured: {
        facet: args.facet,
        total: matching.length,
        values,
        ...(truncated && { truncated }),
        ...(near.length + other.length > 0 && {
          suggestions: { ...(near.length > 0 && { [args.facet]: near }), ...Object.fromEntries(other) },
        }),
        applied_filters: filters,
        ...time,
      },
    };
  });
}

/** A word that is no category may be a sub-category, and vice versa. Returns such values by facet. */
async function otherLevel(
  source: ListingSource,
  { facet }: FacetArguments,
  criteria: FeedCriteria,
  beginning: string,
  signal: AbortSignal,
): Promise<[Facet, FacetValue[]][]> {
  const other = facet === 'ad_type' ? undefined : OTHER_LEVEL[facet];
  if (other === undefined || beginning === '') return [];
  const found = nearValues(beginning, await source.facet(criteria, other, signal));
  return found.length > 0 ? [[other, found]] : [];
}

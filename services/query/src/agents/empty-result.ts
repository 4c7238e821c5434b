import { slugify } from '@vitrine/listing/text';
import type { FeedCriteria } from '../request/criteria.ts';
import type { FacetValue } from '../search/facets.ts';
import type { ListingSource } from './listing-source.ts';
import { nearValues } from './suggestions.ts';
import type { FilterArguments } from './tool-arguments.ts';

/** Why a search found nothing. */
export interface EmptyResult {
  /** The total of the search without one of its filters. `date` stands for the range. */
  without: { filter: string; total: number }[];
  /** Existing values near the given ones, by filter. */
  suggestions: Partial<Record<SuggestedFilter, FacetValue[]>>;
}

const SUGGESTED = ['city', 'category', 'sub_category'] as const;
type SuggestedFilter = (typeof SUGGESTED)[number];

/** The criteria without each of its filters. */
const REMOVALS: Record<string, (keyof FeedCriteria)[]> = {
  ad_type: ['adType'],
  city: ['city'],
  category: ['category'],
  sub_category: ['sub_category'],
  date: ['date', 'dateTo'],
  local_only: ['localOnly'],
  min_price: ['minPrice'],
  max_price: ['maxPrice'],
};

/** Finds out which filter emptied the result, and which existing values are near the given ones. */
export async function explainEmptyResult(
  source: ListingSource,
  criteria: FeedCriteria,
  given: FilterArguments,
  signal: AbortSignal,
): Promise<EmptyResult> {
  const asked = Object.entries(REMOVALS).filter(([, [member]]) => member && criteria[member] !== undefined);
  const without = await Promise.all(
    asked.map(async ([filter, members]) => ({
      filter,
      total: await source.total(omit(criteria, members), signal),
    })),
  );
  const suggestions = await Promise.all(
    SUGGESTED.map(async (name) => [name, await suggest(source, criteria, given, name, signal)] as const),
  );
  return {
    without: without.sort((a, b) => b.total - a.total),
    suggestions: Object.fromEntries(suggestions.filter(([, values]) => values.length > 0)),
  };
}

/** Suggests values that exist under the other filters, or else in the whole market. */
async function suggest(
  source: ListingSource,
  criteria: FeedCriteria,
  given: FilterArguments,
  name: SuggestedFilter,
  signal: AbortSignal,
): Promise<FacetValue[]> {
  if (criteria[name] === undefined) return [];
  const slug = slugify(given[name] ?? '') ?? '';
  const market: FeedCriteria = { feed: criteria.feed, pageSize: 1 };
  const everywhere = await source.facet(market, name, signal);
  if (everywhere.some(({ value }) => value === slug)) return [];
  const here = nearValues(slug, await source.facet(omit(criteria, [name]), name, signal));
  return here.length > 0 ? here : nearValues(slug, everywhere);
}

function omit(criteria: FeedCriteria, members: readonly (keyof FeedCriteria)[]): FeedCriteria {
  const rest = { ...criteria };
  for (const member of members) delete rest[member];
  return rest;
}

/** Describes the reason in lines of text. */
export function emptyResultText({ without, suggestions }: EmptyResult): string[] {
  const decisive = without.filter(({ total }) => total > 0);
  return [
    ...(without.length === 0
      ? []
      : decisive.length === 0
        ? ['No single filter is the reason: without any one of them, there is still nothing.']
        : [
            `Listings without one filter: ${decisive.map(({ filter, total }) => `${filter} ${total}`).join(', ')}`,
          ]),
    ...Object.entries(suggestions).map(
      ([filter, values]) =>
        `No such ${filter}. Near values: ${values.map(({ value, label, count }) => `${value} (${JSON.stringify(label)}, ${count})`).join(', ')}`,
    ),
  ];
}

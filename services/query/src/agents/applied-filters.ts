import type { FeedCriteria } from '../request/criteria.ts';
import { clipped, money } from './answer-text.ts';
import type { Listing } from './listing.ts';
import type { FilterArguments } from './tool-arguments.ts';

/** A filter value as the service understood it. */
interface LabeledValue {
  value: string;
  label: string;
}

/** The filters of a search as the service understood them, by the name of the argument. */
export interface AppliedFilters {
  ad_type?: string;
  city?: LabeledValue;
  category?: LabeledValue;
  sub_category?: LabeledValue;
  date?: string;
  date_to?: string;
  lat?: number;
  lng?: number;
  local_only?: true;
  min_price?: number;
  max_price?: number;
}

const SLUGS = ['city', 'category', 'sub_category'] as const;

/**
 * Returns the filters of a search. A label comes from a found listing, or else from the argument.
 * @param found a matching listing, if there is one
 */
export function appliedFilters(
  { adType, date, dateTo, point, localOnly, minPrice, maxPrice, ...criteria }: FeedCriteria,
  given: FilterArguments,
  found: Listing | undefined,
): AppliedFilters {
  const labeled = SLUGS.flatMap((name) => {
    const value = criteria[name];
    if (value === undefined) return [];
    const label = clipped(found?.labels[name] ?? given[name] ?? value, 80);
    return [[name, { value, label }] as const];
  });
  return {
    ...(adType && { ad_type: adType }),
    ...Object.fromEntries(labeled),
    ...(date && { date, date_to: dateTo ?? date }),
    ...(point && { lat: point.lat, lng: point.lon }),
    ...(localOnly && { local_only: true }),
    ...(minPrice !== undefined && { min_price: minPrice }),
    ...(maxPrice !== undefined && { max_price: maxPrice }),
  };
}

/** Describes the filters in a line of text. No line without filters. */
export const filtersLine = (filters: AppliedFilters): string[] =>
  Object.keys(filters).length > 0 ? [`Filters: ${filtersText(filters)}`] : [];

function filtersText(filters: AppliedFilters): string {
  const { date, date_to, lat, lng, local_only, min_price, max_price, ...others } = filters;
  return [
    ...Object.entries(others).map(([name, value]) =>
      typeof value === 'string'
        ? `${name} ${value}`
        : `${name} ${JSON.stringify(value.label)} (${value.value})`,
    ),
    ...(date ? [date === date_to ? `date ${date}` : `dates ${date} to ${date_to}`] : []),
    ...(lat !== undefined ? [`${local_only ? 'only near' : 'nearest to'} ${lat}, ${lng}`] : []),
    ...(min_price !== undefined ? [`min_price ${money(min_price)}`] : []),
    ...(max_price !== undefined ? [`max_price ${money(max_price)}`] : []),
  ].join('; ');
}

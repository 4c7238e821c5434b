import type { FeedCriteria } from '../request/criteria.ts';
import { clipped, day, filterValue, identifier, joined, quoted, type Shown, say } from './answer-text.ts';
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
export const filtersLine = (filters: AppliedFilters): Shown[] =>
  Object.keys(filters).length > 0 ? [say`Filters: ${filtersText(filters)}`] : [];

function filtersText(filters: AppliedFilters): Shown {
  const { date, date_to = '', lat, lng = 0, local_only, min_price, max_price, ...others } = filters;
  return joined(
    [
      ...Object.entries(others).map(([name, value]) =>
        typeof value === 'string'
          ? say`${identifier(name)} ${filterValue(value)}`
          : say`${identifier(name)} ${quoted(value.label)} (${filterValue(value.value)})`,
      ),
      ...(date
        ? [date === date_to ? say`date ${day(date)}` : say`dates ${day(date)} to ${day(date_to)}`]
        : []),
      ...(lat !== undefined ? [say`${local_only ? 'only near' : 'nearest to'} ${lat}, ${lng}`] : []),
      ...(min_price !== undefined ? [say`min_price ${min_price}`] : []),
      ...(max_price !== undefined ? [say`max_price ${max_price}`] : []),
    ],
    '; ',
  );
}

import type { estypes } from '@elastic/elasticsearch';
import { STATES } from '@vitrine/feed-index';
import { cityAndState } from '../../filters/city-state.ts';
import { allOf, type Clause, field } from '../order/feed-order.ts';
import {
  type CountedBucket,
  countOf,
  type FacetCount,
  type FacetValue,
  LOWEST,
  sumOf,
} from './facet-values.ts';

/** A city, and the number of different states of its items. */
export interface CountedCity extends FacetValue {
  states: number;
}

/** The items of each city by the code of their state. */
export type CountsByState = ReadonlyMap<string, ReadonlyMap<string, FacetCount>>;

/** The result of `statesRequest`. */
export interface StatesAggregation {
  cities: { buckets: { key: string; states: { buckets: CountedBucket[] } }[] };
}

const CODES: readonly string[] = STATES.map(({ code }) => code);
/**
 * The cities of one search, the most frequent ones. About 230 names of Brazilian municipalities occur in several
 * states. With 27 states each, the buckets stay below the required `search.max_buckets`.
 */
const MAX_CITIES = 600;

/**
 * Returns the cities whose items must be counted by state: those in several states, and those whose name occurs
 * as a value together with a state (`bonito-ms`), because a filter by this value matches both.
 * @param cities most frequent first
 */
export function citiesInStates(cities: readonly CountedCity[]): string[] {
  const withState = new Set(cities.flatMap(({ value }) => cityAndState(value)?.city ?? []));
  return cities
    .filter(({ value, states }) => states > 1 || withState.has(value))
    .map(({ value }) => value)
    .slice(0, MAX_CITIES);
}

/** Counts the items of these cities by state. */
export const statesRequest = (
  cities: readonly string[],
  clauses: readonly Clause[],
): estypes.SearchRequest => ({
  size: 0,
  track_total_hits: false,
  query: allOf([...clauses, { terms: { [field('city')]: [...cities] } }]),
  aggs: {
    cities: {
      terms: { field: field('city'), size: cities.length },
      aggs: {
        states: {
          terms: { field: field('state'), include: [...CODES], size: CODES.length },
          aggs: LOWEST,
        },
      },
    },
  },
});

/** Reads the result of `statesRequest`. */
export const countsByState = (counted: StatesAggregation | undefined): CountsByState =>
  new Map(
    (counted?.cities.buckets ?? []).map(({ key, states }) => [
      key,
      new Map(states.buckets.map((bucket) => [bucket.key, countOf(bucket)])),
    ]),
  );

/**
 * Names each city in several states together with its state, in the form that the filter `city` accepts:
 * `bonito-ms`, "Bonito, MS". The name alone stays a value only if some of its items have no known state. Each count
 * is the number of items that the filter finds.
 * @returns the values, most frequent first
 */
export function namedByState(cities: readonly CountedCity[], counts: CountsByState): FacetValue[] {
  const values = new Set(cities.map(({ value }) => value));
  const named = new Map<string, FacetValue>();
  const add = (one: FacetValue) => {
    const known = named.get(one.value);
    named.set(one.value, known ? { ...known, ...sumOf(known, one) } : one);
  };
  for (const { states: _, ...city } of cities) {
    const inStates = [...(counts.get(city.value) ?? [])].map(([code, counted]) => ({
      value: `${city.value}-${code}`,
      label: `${city.label}, ${code.toUpperCase()}`,
      ...counted,
    }));
    const isSplit = inStates.length > 1;
    const known = inStates.reduce((sum, { count }) => sum + count, 0);
    if (!isSplit) add(city);
    else if (known < city.count) add({ ...city, label: `${city.label} (any state)` });
    for (const one of inStates) if (isSplit || values.has(one.value)) add(one);
  }
  return [...named.values()].sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

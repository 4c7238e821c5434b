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

/** A value, and an upper bound for the number of different states of its items. */
export interface CountedValue extends FacetValue {
  states: number;
}

/** A city with all its spellings, because the filter finds all spellings by any one of them. */
export interface CountedCity extends CountedValue {
  /** The result of `placeOf` for its value. */
  place: string;
  /** The slugs of its items. */
  spellings: string[];
}

/** The counts of items for each spelling of a city, by state code. */
export type CountsByState = ReadonlyMap<string, ReadonlyMap<string, FacetCount>>;

/** The result of `statesRequest`. */
export interface StatesAggregation {
  cities: { buckets: { key: string; states: { buckets: CountedBucket[] } }[] };
}

const CODES: readonly string[] = STATES.map(({ code }) => code);
/**
 * The maximum number of cities in one search, which counts the most frequent ones. About 230 names of
 * Brazilian municipalities occur in several states. With 27 states each, the buckets stay below the required
 * `search.max_buckets`.
 */
const MAX_CITIES = 600;

const byCount = (a: FacetValue, b: FacetValue): number => b.count - a.count || (a.value < b.value ? -1 : 1);

/**
 * Joins the values for the same place. The most frequent spelling names the place.
 * @param values most frequent first
 * @param placeOf returns the same string for all spellings of a place
 * @returns the places, most frequent first
 */
export function joinSpellings(
  values: readonly CountedValue[],
  placeOf: (value: string) => string,
): CountedCity[] {
  const places = new Map<string, CountedCity>();
  for (const one of values) {
    const place = placeOf(one.value);
    const known = places.get(place) ?? { ...one, place, spellings: [], count: 0, states: 0 };
    known.spellings.push(one.value);
    places.set(place, { ...known, ...sumOf(known, one), states: known.states + one.states });
  }
  return [...places.values()].sort(byCount);
}

/**
 * Returns the spellings of the cities whose items must be counted by state. These are the cities in several
 * states, and those whose name occurs as a value together with a state (`bonito-ms`), because a filter by
 * this value matches both the items with this value and the city's items in this state.
 * @param cities most frequent first
 */
export function citiesInStates(cities: readonly CountedCity[]): string[] {
  const withState = new Set(cities.flatMap(({ place }) => cityAndState(place)?.city ?? []));
  const all: string[] = [];
  for (const { place, states, spellings } of cities) {
    if (states <= 1 && !withState.has(place)) continue;
    // Counts of only some of the spellings would be wrong.
    if (all.length + spellings.length > MAX_CITIES) break;
    all.push(...spellings);
  }
  return all;
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
 * Names each city that exists in several states together with the state, in the form that the filter `city`
 * accepts: `bonito-ms`, "Bonito, MS". The name alone stays a value only if some of the city's items have no
 * known state. Each count is the number of items that the filter finds.
 * @returns the values, most frequent first
 */
export function namedByState(cities: readonly CountedCity[], counts: CountsByState): FacetValue[] {
  const places = new Set(cities.map(({ place }) => place));
  const named = new Map<string, FacetValue>();
  const add = (place: string, one: FacetValue) => {
    const known = named.get(place);
    named.set(place, known ? { ...known, ...sumOf(known, one) } : one);
  };
  for (const { states: _, place, spellings, ...city } of cities) {
    const inStates = [...statesOf(spellings, counts)].map(([code, counted]) => ({
      place: `${place}-${code}`,
      named: { value: `${city.value}-${code}`, label: `${city.label}, ${code.toUpperCase()}`, ...counted },
    }));
    const isSplit = inStates.length > 1;
    const known = inStates.reduce((sum, { named: { count } }) => sum + count, 0);
    if (!isSplit) add(place, city);
    else if (known < city.count) add(place, { ...city, label: `${city.label} (any state)` });
    for (const one of inStates) if (isSplit || places.has(one.place)) add(one.place, one.named);
  }
  return [...named.values()].sort(byCount);
}

/** Adds up the counts for all spellings of a city, by state code. */
function statesOf(spellings: readonly string[], counts: CountsByState): Map<string, FacetCount> {
  const states = new Map<string, FacetCount>();
  for (const spelling of spellings)
    for (const [code, counted] of counts.get(spelling) ?? []) {
      const known = states.get(code);
      states.set(code, known ? sumOf(known, counted) : counted);
    }
  return states;
}

import type { estypes } from '@elastic/elasticsearch';
import type { Facet } from '@vitrine/feed-index/filters';
import { placeOf } from '../../filters/apostrophes.ts';
import { allOf, type Clause, field } from '../order/feed-order.ts';
import { PageTooLarge } from '../search-failure.ts';
import {
  type CountedValue,
  citiesInStates,
  countsByState,
  joinSpellings,
  namedByState,
  type StatesAggregation,
  statesRequest,
} from './city-states.ts';
import { type CountedBucket, countOf, type FacetValue, LOWEST } from './facet-values.ts';

/** Brazil has 5,570 municipalities. Values beyond this number are the least frequent. */
const MAX_VALUES = 10_000;

interface ValueBucket extends CountedBucket {
  labels?: { buckets: { key: string }[] };
  /** The number of different states of the items. Only cities have this number. */
  states?: { value: number };
}

/** The results of the searches for a facet. */
export type FacetAggregation = Partial<{ values: { buckets: ValueBucket[] } } & StatesAggregation>;

/** The factor by which a facet whose values are too long for one response is shortened. */
const FEWER_VALUES = 8;

/**
 * Reads the values of a facet, most frequent first, with the lowest price of each. Counts fewer values if
 * their texts are too long for one response. All spellings of a city form one value. A city that exists in
 * several states has one value per state.
 */
export async function readFacet(
  facet: Facet,
  clauses: Clause[],
  search: (request: estypes.SearchRequest) => Promise<{ aggregations?: FacetAggregation | undefined }>,
): Promise<FacetValue[]> {
  const values = await readValues(facet, clauses, async (request) => (await search(request)).aggregations);
  const counted = joinSpellings(values, facet === 'city' ? placeOf : (value) => value);
  const cities = citiesInStates(counted);
  if (cities.length === 0) return namedByState(counted, new Map());
  const { aggregations } = await search(statesRequest(cities, clauses));
  return namedByState(counted, countsByState(aggregations as StatesAggregation | undefined));
}

async function readValues(
  facet: Facet,
  clauses: Clause[],
  search: (request: estypes.SearchRequest) => Promise<FacetAggregation | undefined>,
): Promise<CountedValue[]> {
  for (let values = MAX_VALUES; ; values = Math.floor(values / FEWER_VALUES)) {
    try {
      return facetValuesOf(await search(facetRequest(facet, clauses, values)));
    } catch (error) {
      if (!(error instanceof PageTooLarge) || values < FEWER_VALUES) throw error;
    }
  }
}

/**
 * Counts the values of a facet among the matching items, most frequent first.
 * @param values maximum number of values
 */
function facetRequest(facet: Facet, clauses: Clause[], values: number): estypes.SearchRequest {
  const label = facet === 'ad_type' ? undefined : `${field('labels')}.${facet}`;
  return {
    size: 0,
    track_total_hits: false,
    query: allOf(clauses),
    aggs: {
      values: {
        terms: {
          field: field(facet),
          size: values,
          order: [{ _count: 'desc' }, { _key: 'asc' }],
        },
        aggs: {
          ...LOWEST,
          ...(label && { labels: { terms: { field: label, size: 1 } } }),
          ...(facet === 'city' && { states: { cardinality: { field: field('state') } } }),
        },
      },
    },
  };
}

/** Reads the result of `facetRequest`. A value without a label has its slug as the label. */
const facetValuesOf = (counted: FacetAggregation | undefined): CountedValue[] =>
  (counted?.values?.buckets ?? []).map(({ labels, states, ...bucket }) => ({
    value: bucket.key,
    label: labels?.buckets[0]?.key ?? bucket.key,
    ...countOf(bucket),
    states: states?.value ?? 0,
  }));

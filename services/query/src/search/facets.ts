import type { estypes } from '@elastic/elasticsearch';
import type { Facet } from '@vitrine/feed-index/filters';
import { allOf, type Clause, field } from './order/feed-order.ts';
import { PageTooLarge } from './search-failure.ts';

/** A value of a filter, its text for people, and the number of matching items. */
export interface FacetValue {
  value: string;
  label: string;
  count: number;
}

/** Brazil has 5,570 municipalities. Values beyond this number are the least frequent. */
const MAX_VALUES = 10_000;

interface Bucket {
  key: string;
  doc_count: number;
  labels?: { buckets: { key: string }[] };
}

/** The result of `facetRequest`. */
export interface FacetAggregation {
  values: { buckets: Bucket[] };
}

/** The factor by which a facet whose values are too long for one response is shortened. */
const FEWER_VALUES = 8;

/** Reads the values of a facet. Counts fewer values if their texts are too long for one response. */
export async function readFacet(
  facet: Facet,
  clauses: Clause[],
  search: (request: estypes.SearchRequest) => Promise<{ aggregations?: FacetAggregation | undefined }>,
): Promise<FacetValue[]> {
  for (let values = MAX_VALUES; ; values = Math.floor(values / FEWER_VALUES)) {
    try {
      return facetValuesOf((await search(facetRequest(facet, clauses, values))).aggregations);
    } catch (error) {
      if (!(error instanceof PageTooLarge) || values < FEWER_VALUES) throw error;
    }
  }
}

/**
 * Counts the values of a facet among the matching items, most frequent first.
 * @param values maximum number of values
 */
function facetRequest(facet: Facet, clauses: Clause[], values = MAX_VALUES): estypes.SearchRequest {
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
        ...(label && { aggs: { labels: { terms: { field: label, size: 1 } } } }),
      },
    },
  };
}

/** Reads the result of `facetRequest`. A value without a label has its slug as the label. */
const facetValuesOf = (counted: FacetAggregation | undefined): FacetValue[] =>
  (counted?.values.buckets ?? []).map(({ key, doc_count, labels }) => ({
    value: key,
    label: labels?.buckets[0]?.key ?? key,
    count: doc_count,
  }));

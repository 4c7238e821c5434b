import type { estypes } from '@elastic/elasticsearch';
import { field } from '../order/feed-order.ts';

/** The count and the lowest price of the matching items with the same value. */
export interface FacetCount {
  count: number;
  /** The lowest `price` of these items in BRL. */
  minPrice: number;
}

/** A filter value, its text for people, and the count and the lowest price of its matching items. */
export interface FacetValue extends FacetCount {
  value: string;
  label: string;
}

/** A bucket of items with the same value, counted with `LOWEST`. */
export interface CountedBucket {
  key: string;
  doc_count: number;
  price: { value: number | null };
}

/** Finds the lowest price of the items in a bucket. */
export const LOWEST: Record<string, estypes.AggregationsAggregationContainer> = {
  price: { min: { field: field('price') } },
};

/** Reads a bucket. Every item has a price. */
export const countOf = ({ doc_count, price }: CountedBucket): FacetCount => ({
  count: doc_count,
  minPrice: price.value ?? 0,
});

/** Adds counts of different items. */
export const sumOf = (a: FacetCount, b: FacetCount): FacetCount => ({
  count: a.count + b.count,
  minPrice: Math.min(a.minPrice, b.minPrice),
});

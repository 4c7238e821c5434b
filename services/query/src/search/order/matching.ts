import type { estypes } from '@elastic/elasticsearch';
import { allOf, type Clause, type SearchOrder } from './feed-order.ts';
import { type OrderRange, rangeClauses } from './key-range.ts';

/** A set of items in order: the clauses that the items match, and their order. */
export interface Matching {
  clauses: Clause[];
  order: SearchOrder;
}

export const matchingIn = ({ clauses, order }: Matching, range: OrderRange | undefined): Clause =>
  allOf([...clauses, ...(range ? rangeClauses(range, order) : [])]);

/** Counts the matching items. */
export const totalRequest = (clauses: Clause[]): estypes.SearchRequest => ({
  size: 0,
  track_total_hits: true,
  query: allOf(clauses),
});

/** Returns the exact number of hits of a search that sets `track_total_hits`. */
export function totalOf<Document, Aggregations>({
  hits: { total },
}: estypes.SearchResponse<Document, Aggregations>): number {
  return typeof total === 'number' ? total : (total?.value ?? 0);
}

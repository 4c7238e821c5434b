import type { estypes } from '@elastic/elasticsearch';
import type { FoundItem } from '../../stored/found-page.ts';
import type { StoredItem } from '../../stored/stored-item.ts';
import { allOf, type Clause, type SearchOrder, sortPositionOf } from './feed-order.ts';
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

/** Returns the exact number of hits in a search that sets `track_total_hits`. */
export function totalOf<Document, Aggregations>({
  hits: { total },
}: estypes.SearchResponse<Document, Aggregations>): number {
  return typeof total === 'number' ? total : (total?.value ?? 0);
}

/** Returns the clauses that a request's hits match. */
export const clausesOf = ({ query = allOf([]), post_filter }: estypes.SearchRequest): Clause[] => [
  query,
  ...(post_filter ? [post_filter] : []),
];

/** Returns the items in hits, with their positions in the search's order. */
export const itemsOf = (hits: estypes.SearchHit<StoredItem>[]): FoundItem[] =>
  hits.flatMap(({ _source, sort }) => (_source ? [{ ..._source, position: sortPositionOf(sort) }] : []));

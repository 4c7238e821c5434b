import type { estypes } from '@elastic/elasticsearch';
import { allOf, type Clause, searchAfterKey } from '../order/feed-order.ts';
import { rangeClauses, rangeStart } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import { PageTooLarge } from '../search-failure.ts';
import { MAX_EXTRA_ITEMS, type RankIndex } from './rank-index.ts';

/**
 * Reads the hits of a page at any depth: first the hits in the range that `rankIndex` locates, then any
 * missing hits after the last of these hits.
 * @param request with `from` and `size`. Its sort is the order of `rankIndex`.
 * @param search must use the same point in time as `rankIndex`
 */
export async function readDeepPage<Document, Aggregations>(
  request: estypes.SearchRequest,
  { clauses, order }: Matching,
  rankIndex: RankIndex,
  search: (request: estypes.SearchRequest) => Promise<estypes.SearchResponse<Document, Aggregations>>,
): Promise<estypes.SearchHit<Document>[]> {
  const { from = 0, size = 0, sort = [], _source = true } = request;
  const total = await rankIndex.total();
  if (from >= total || size === 0) return [];
  const wanted = Math.min(size, total - from);
  const { range, offset } = await rankIndex.locate(from, wanted);
  const read = async (
    query: Clause,
    position: Pick<estypes.SearchRequest, 'from' | 'size' | 'search_after' | '_source'>,
  ) => (await search({ track_total_hits: false, sort, query, _source, ...position })).hits.hits;
  const within = allOf([...clauses, ...rangeClauses(range, order)]);
  const inRange = Math.min(wanted, range.count - offset);

  /**
   * Elasticsearch does not accept `from` together with `search_after`, so the search reads the skipped hits.
   */
  const readFrom = async (start: number): Promise<estypes.SearchHit<Document>[]> => {
    const search_after = searchAfterKey(start);
    if (offset <= MAX_EXTRA_ITEMS)
      try {
        return (await read(within, { size: offset + inRange, search_after })).slice(offset);
      } catch (error) {
        if (!(error instanceof PageTooLarge && offset > 0)) throw error;
      }
    const skipped = await read(within, { size: offset, search_after, _source: false });
    return read(within, { size: inRange, search_after: skipped.at(-1)?.sort ?? search_after });
  };
  const start = rangeStart(range);
  const here = await (start === undefined ? read(within, { from: offset, size: inRange }) : readFrom(start));
  const after = here.at(-1)?.sort;
  const hits =
    after && here.length < wanted
      ? [...here, ...(await read(allOf(clauses), { size: wanted - here.length, search_after: after }))]
      : here;
  // If the counts were wrong, the page would otherwise silently contain wrong items.
  if (hits.length !== wanted)
    throw new Error(`the page at rank ${from} has ${hits.length} items instead of ${wanted}`);
  return hits;
}

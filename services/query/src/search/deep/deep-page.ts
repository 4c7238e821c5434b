import type { estypes } from '@elastic/elasticsearch';
import { allOf, type Clause, searchAfterKey } from '../order/feed-order.ts';
import { rangeClauses, rangeStart } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import type { RankIndex } from './rank-index.ts';

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

  const start = rangeStart(range);
  let begin: Pick<estypes.SearchRequest, 'from' | 'search_after'> = { from: offset };
  if (start !== undefined) {
    // Elasticsearch does not accept `from` together with `search_after`.
    const skipped =
      offset > 0
        ? (await read(within, { size: offset, search_after: searchAfterKey(start), _source: false })).at(-1)
            ?.sort
        : undefined;
    begin = { search_after: skipped ?? searchAfterKey(start) };
  }
  const here = await read(within, { ...begin, size: inRange });
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

import type { estypes } from '@elastic/elasticsearch';
import { allOf, type Clause, searchBehind } from '../order/feed-order.ts';
import { stretchClauses, stretchStart } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import type { RankDirectory } from './rank-index.ts';

/**
 * The hits of a page at any depth. Reads the hits in the stretch that the directory locates, then any missing
 * hits after the last of them.
 * @param request with `from` and `size`. Its sort is the order of the directory.
 * @param search must use the same point in time as the directory
 */
export async function hitsAtRank<Document, Aggregations>(
  request: estypes.SearchRequest,
  { clauses, order }: Matching,
  directory: RankDirectory,
  search: (request: estypes.SearchRequest) => Promise<estypes.SearchResponse<Document, Aggregations>>,
): Promise<estypes.SearchHit<Document>[]> {
  const { from = 0, size = 0, sort = [], _source = true } = request;
  const total = await directory.total();
  if (from >= total || size === 0) return [];
  const wanted = Math.min(size, total - from);
  const { stretch, rest } = await directory.locate(from, wanted);
  const read = async (query: Clause, position: Pick<estypes.SearchRequest, 'from' | 'size' | 'search_after' | '_source'>) =>
    (await search({ track_total_hits: false, sort, query, _source, ...position })).hits.hits;
  const within = allOf([...clauses, ...stretchClauses(stretch, order)]);
  const inStretch = Math.min(wanted, stretch.count - rest);

  const start = stretchStart(stretch);
  let begin: Pick<estypes.SearchRequest, 'from' | 'search_after'> = { from: rest };
  if (start !== undefined) {
    // Elasticsearch does not accept `from` together with `search_after`.
    const skipped = rest > 0 ? (await read(within, { size: rest, search_after: searchBehind(start), _source: false })).at(-1)?.sort : undefined;
    begin = { search_after: skipped ?? searchBehind(start) };
  }
  const here = await read(within, { ...begin, size: inStretch });
  const after = here.at(-1)?.sort;
  const hits = after && here.length < wanted ? [...here, ...(await read(allOf(clauses), { size: wanted - here.length, search_after: after }))] : here;
  // A difference between the counted and the read items would otherwise give a wrong page without any error.
  if (hits.length !== wanted) throw new Error(`rank ${from} has ${hits.length} items instead of ${wanted}`);
  return hits;
}

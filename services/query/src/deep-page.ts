import type { estypes } from '@elastic/elasticsearch';

/**
 * A page beyond the reach of `from`: counts first, then steps there with `search_after`. Exact, but
 * its cost grows with the depth; a rank directory will take its place.
 * @param request a search with `from` and `size`
 * @param resultWindow how many hits one step may take
 * @param search runs one step; every step must see the same index, as in a point in time
 */
export async function readDeepPage<Document, Aggregations>(
  request: estypes.SearchRequest,
  resultWindow: number,
  search: (step: estypes.SearchRequest) => Promise<estypes.SearchResponse<Document, Aggregations>>,
): Promise<{ counted: estypes.SearchResponse<Document, Aggregations>; hits: estypes.SearchHit<Document>[] }> {
  const { from = 0, aggs: _counted, ...page } = request;
  const counted = await search({ ...request, from: 0, size: 0 });
  if (from >= totalOf(counted)) return { counted, hits: [] };
  let after: estypes.SortResults | undefined;
  for (let skipped = 0; skipped < from; ) {
    const size = Math.min(from - skipped, resultWindow);
    const step = await search(continued(after, { ...page, size, track_total_hits: false, _source: false }));
    after = step.hits.hits.at(-1)?.sort;
    skipped += size;
  }
  const last = await search(continued(after, { ...page, track_total_hits: false }));
  return { counted, hits: last.hits.hits };
}

/** The exact number of hits of a search with `track_total_hits`. */
export function totalOf<Document, Aggregations>({ hits: { total } }: estypes.SearchResponse<Document, Aggregations>): number {
  return typeof total === 'number' ? total : (total?.value ?? 0);
}

const continued = (after: estypes.SortResults | undefined, request: estypes.SearchRequest): estypes.SearchRequest =>
  after ? { ...request, search_after: after } : request;

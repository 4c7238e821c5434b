import type { estypes } from '@elastic/elasticsearch';
import { allOf, placeOf } from './feed-order.ts';
import type { Hints } from './hints.ts';
import { densityOf, isWithin, nearbyReaches, recentReaches } from './reach.ts';
import { type KeyStretch, stretchClauses } from './stretch.ts';
import type { Matching } from './stretch-searches.ts';

/**
 * The hits of a page near the beginning of an order, or behind a place of it. Only a part of the order is
 * looked at that is likely to hold them, a wider one where it does not, and at last the whole: of that,
 * Elasticsearch would look at every item that matches.
 * @param request with `from` or `search_after`, and `size`; its sort is the order of `matching`
 * @param total how many items match
 * @param search sees one point in time, that of `total`
 */
export async function hitsInReach<Document, Aggregations>(
  request: estypes.SearchRequest,
  { clauses, order }: Matching,
  total: Promise<number>,
  hints: Hints,
  search: (request: estypes.SearchRequest) => Promise<estypes.SearchResponse<Document, Aggregations>>,
): Promise<estypes.SearchHit<Document>[]> {
  const { from = 0, size = 0, search_after, sort = [], _source = true } = request;
  const name = JSON.stringify(clauses);
  const read = async (stretch?: KeyStretch): Promise<estypes.SearchHit<Document>[]> => {
    const query = allOf([...clauses, ...(stretch ? stretchClauses(stretch, order) : [])]);
    const position = search_after ? { search_after } : { from };
    return (await search({ track_total_hits: false, sort, query, _source, size, ...position })).hits.hits;
  };
  const part = { after: search_after && placeOf(search_after), count: from + size };
  const reaches = order === 'newest' ? recentReaches(part, hints.total(name), total, hints) : nearbyReaches(order, part, hints);
  for await (const stretch of reaches) {
    const hits = await read(stretch);
    const matching = await total;
    hints.setTotal(name, matching);
    const wanted = Math.min(size, matching - from);
    if (wanted <= 0) return [];
    const last = placeOf(hits.at(-1)?.sort);
    if (hits.length < wanted || !isWithin(last, stretch)) continue;
    const begin = part.after?.key ?? 0;
    if (order !== 'newest' && last.key !== null && last.key > begin) hints.setDensity(order, densityOf(from + hits.length, begin, last.key));
    return hits;
  }
  return read();
}

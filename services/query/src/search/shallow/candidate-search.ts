import type { estypes } from '@elastic/elasticsearch';
import { allOf, sortPositionOf } from '../order/feed-order.ts';
import { type KeyRange, rangeClauses } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import { containsUpTo, densityOf, nearbyRanges, recentRanges } from './candidate-ranges.ts';
import type { Estimates } from './estimates.ts';

/**
 * Reads the hits of a page near the beginning of an order, or after a position in the order. Searches a range
 * of the order that probably contains the hits, then wider ranges, and finally the whole order. For the whole
 * order, Elasticsearch visits every matching item.
 * @param request with `from` or `search_after`, and `size`. Its sort is the order of `matching`.
 * @param total the number of matching items
 * @param search must use the same point in time as `total`
 */
export async function searchCandidateRanges<Document, Aggregations>(
  request: estypes.SearchRequest,
  { clauses, order }: Matching,
  total: Promise<number>,
  estimates: Estimates,
  search: (request: estypes.SearchRequest) => Promise<estypes.SearchResponse<Document, Aggregations>>,
): Promise<estypes.SearchHit<Document>[]> {
  const { from = 0, size = 0, search_after, sort = [], _source = true } = request;
  const name = JSON.stringify(clauses);
  const read = async (range?: KeyRange): Promise<estypes.SearchHit<Document>[]> => {
    const query = allOf([...clauses, ...(range ? rangeClauses(range, order) : [])]);
    const position = search_after ? { search_after } : { from };
    return (await search({ track_total_hits: false, sort, query, _source, size, ...position })).hits.hits;
  };
  const part = { after: search_after && sortPositionOf(search_after), count: from + size };
  // The density of items decreases with the distance, so the estimates are separate for each depth.
  const depth = [part.count, part.after?.key ?? 0].map((distance) => Math.ceil(Math.log2(distance + 1)));
  const area = `${depth} ${name}`;
  const remember = (hits: estypes.SearchHit<Document>[]) => {
    const last = hits.at(-1);
    if (order === 'newest' || last === undefined) return;
    const [begin, { key }] = [part.after?.key ?? 0, sortPositionOf(last.sort)];
    // A page that ends with items without coordinates does not cover a measurable area.
    if (key === null) estimates.setDensity(order, area, 0);
    else if (key > begin) estimates.setDensity(order, area, densityOf(from + hits.length, begin, key));
  };
  const matches = { estimate: estimates.total(name), total };
  const ranges =
    order === 'newest'
      ? recentRanges(part, matches, estimates)
      : nearbyRanges(part, matches, estimates.densityAt(order, area));
  for await (const range of ranges) {
    const hits = await read(range);
    const matching = await total;
    estimates.setTotal(name, matching);
    const wanted = Math.min(size, matching - from);
    if (wanted <= 0) return [];
    if (hits.length < wanted || !containsUpTo(sortPositionOf(hits.at(-1)?.sort), range)) continue;
    remember(hits);
    return hits;
  }
  const hits = await read();
  estimates.setTotal(name, await total);
  remember(hits);
  return hits;
}

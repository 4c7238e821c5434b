import type { estypes } from '@elastic/elasticsearch';
import { allOf, placeOf } from '../order/feed-order.ts';
import { type KeyStretch, stretchClauses } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import { densityOf, isWithin, nearbyReaches, recentReaches } from './candidate-ranges.ts';
import type { Hints } from './estimates.ts';

/**
 * The hits of a page near the beginning of an order, or after a place in it. Searches a range of the order
 * that probably contains them, then wider ranges, and finally the whole order, for which Elasticsearch visits
 * every matching item.
 * @param request with `from` or `search_after`, and `size`. Its sort is the order of `matching`.
 * @param total the number of matching items
 * @param search must use the same point in time as `total`
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
  // The density of items decreases with distance, so it is remembered per depth.
  const depth = [part.count, part.after?.key ?? 0].map((distance) => Math.ceil(Math.log2(distance + 1)));
  const area = `${depth} ${name}`;
  const remember = (hits: estypes.SearchHit<Document>[]) => {
    const last = hits.at(-1);
    if (order === 'newest' || last === undefined) return;
    const [begin, { key }] = [part.after?.key ?? 0, placeOf(last.sort)];
    // A page that ends with items without coordinates has no area.
    if (key === null) hints.setDensity(order, area, 0);
    else if (key > begin) hints.setDensity(order, area, densityOf(from + hits.length, begin, key));
  };
  const matches = { hint: hints.total(name), total };
  const reaches = order === 'newest' ? recentReaches(part, matches, hints) : nearbyReaches(part, matches, hints.densityAt(order, area));
  for await (const stretch of reaches) {
    const hits = await read(stretch);
    const matching = await total;
    hints.setTotal(name, matching);
    const wanted = Math.min(size, matching - from);
    if (wanted <= 0) return [];
    if (hits.length < wanted || !isWithin(placeOf(hits.at(-1)?.sort), stretch)) continue;
    remember(hits);
    return hits;
  }
  const hits = await read();
  hints.setTotal(name, await total);
  remember(hits);
  return hits;
}

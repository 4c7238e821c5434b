import type { estypes } from '@elastic/elasticsearch';
import { allOf, sortPositionOf } from '../order/feed-order.ts';
import { type OrderRange, rangeClauses } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import { containsUpTo } from './candidate-ranges.ts';
import { candidatesOf } from './candidates.ts';
import type { Estimates } from './estimates.ts';

/**
 * Reads the hits of a page near the beginning of an order, or after a position in the order. Searches a range
 * of the order that probably contains the hits, then wider ranges, and finally the whole order. For the whole
 * order, Elasticsearch visits every matching item.
 * @param request with `from` or `search_after`, and `size`. Its sort is the order of `matching`.
 * @param total the number of matching items, or a higher number
 * @param search must use the same point in time as `total`
 */
export async function searchCandidateRanges<Document, Aggregations>(
  request: estypes.SearchRequest,
  matching: Matching,
  total: Promise<number>,
  estimates: Estimates,
  search: (request: estypes.SearchRequest) => Promise<estypes.SearchResponse<Document, Aggregations>>,
): Promise<estypes.SearchHit<Document>[]> {
  const { clauses, order } = matching;
  const {
    from = 0,
    size = 0,
    search_after,
    sort = [],
    _source = true,
    docvalue_fields,
    stored_fields,
  } = request;
  const name = JSON.stringify(clauses);
  const read = async (range?: OrderRange): Promise<estypes.SearchHit<Document>[]> => {
    const query = allOf([...clauses, ...(range ? rangeClauses(range, order) : [])]);
    const position = search_after ? { search_after } : { from };
    const fields = { ...(docvalue_fields && { docvalue_fields }), ...(stored_fields && { stored_fields }) };
    return (await search({ track_total_hits: false, sort, query, _source, ...fields, size, ...position }))
      .hits.hits;
  };
  const part = { after: search_after && sortPositionOf(search_after), count: from + size };
  total.then(
    (matches) => estimates.setTotal(name, matches),
    () => undefined,
  );
  const all = candidatesOf(part, matching, total, estimates);
  const learn = (hits: estypes.SearchHit<Document>[]) => {
    const last = hits.at(-1);
    if (last) for (const each of all) each.learn(sortPositionOf(last.sort), from + hits.length);
  };
  for (const candidates of all)
    for await (const range of candidates.ranges()) {
      const hits = await read(range);
      // A full page does not wait for the total.
      const wanted = hits.length < size ? Math.min(size, (await total) - from) : size;
      if (wanted <= 0) return [];
      if (!isWhole(hits, wanted, range)) continue;
      learn(hits);
      return hits;
    }
  const hits = await read();
  learn(hits);
  return hits;
}

/** Returns whether a search in `range` has the same hits as a search in the whole order. */
const isWhole = (hits: estypes.SearchHit<unknown>[], wanted: number, range: OrderRange): boolean =>
  range.by === 'no key' || (hits.length >= wanted && containsUpTo(sortPositionOf(hits.at(-1)?.sort), range));

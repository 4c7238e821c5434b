import type { estypes } from '@elastic/elasticsearch';
import { allOf, sortPositionOf } from '../order/feed-order.ts';
import { type KeyRange, rangeClauses } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import { containsUpTo, densityOf, nearbyRanges, valueRanges } from './candidate-ranges.ts';
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
  // The density of items changes along the order, so the estimates are separate for each depth.
  const depth = [part.count, part.after?.key ?? 0].map((distance) => Math.ceil(Math.log2(distance + 1)));
  const point = typeof order === 'object' ? order : undefined;
  const area = point ? `${depth} ${name}` : `${order} ${depth} ${name}`;
  const histogram = typeof order === 'object' ? undefined : estimates.histogram(order);
  const remember = (hits: estypes.SearchHit<Document>[]) => {
    const last = hits.at(-1);
    if (last === undefined) return;
    const { key } = sortPositionOf(last.sort);
    const [begin, count] = [part.after?.key ?? undefined, from + hits.length];
    // A page that ends with items without a key does not cover a measurable part of the order.
    if (point) {
      if (key === null) estimates.setDensity(point, area, 0);
      else if (key > (begin ?? 0)) estimates.setDensity(point, area, densityOf(count, begin ?? 0, key));
    } else if (key === null) estimates.setItemsPerMatch(area, Number.POSITIVE_INFINITY);
    else if (histogram)
      estimates.setItemsPerMatch(area, Math.max(histogram.countBefore(key, begin), 1) / count);
  };
  const matches = { estimate: estimates.total(name), total };
  const ranges = point
    ? nearbyRanges(part, matches, estimates.densityAt(point, area))
    : valueRanges(part, matches, histogram, estimates.itemsPerMatch(area));
  for await (const range of ranges) {
    const hits = await read(range);
    const matching = await total;
    estimates.setTotal(name, matching);
    const wanted = Math.min(size, matching - from);
    if (wanted <= 0) return [];
    if (!isWhole(hits, wanted, range)) continue;
    remember(hits);
    return hits;
  }
  const hits = await read();
  estimates.setTotal(name, await total);
  remember(hits);
  return hits;
}

/** Whether the hits of a search in `range` are those of a search of the whole order. */
const isWhole = (hits: estypes.SearchHit<unknown>[], wanted: number, range: KeyRange): boolean =>
  range.by === 'no key' || (hits.length >= wanted && containsUpTo(sortPositionOf(hits.at(-1)?.sort), range));

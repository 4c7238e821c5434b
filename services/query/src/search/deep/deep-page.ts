import type { estypes } from '@elastic/elasticsearch';
import { bytesOf, type StoredItem } from '../../stored/stored-item.ts';
import { allOf, searchAfterDistance } from '../order/feed-order.ts';
import { type OrderRange, rangeClauses, rangeStart } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import { PageTooLarge } from '../search-failure.ts';
import { MAX_EXTRA_ITEMS, type RankIndex } from './rank-index.ts';

type Search = (request: estypes.SearchRequest) => Promise<estypes.SearchResponse<StoredItem, unknown>>;

/**
 * Reads the hits of a page at any depth, in one range that `rankIndex` locates, or in several consecutive
 * ranges.
 * @param request with `from` and `size`. Its sort is the order of `rankIndex`.
 * @param search must use the same point in time as `rankIndex`. It also receives the size, in bytes, of the
 *   items that the page already has.
 * @throws PageTooLarge, whose number of items and limit apply to the whole page
 */
export async function readDeepPage(
  request: estypes.SearchRequest,
  matching: Matching,
  rankIndex: RankIndex,
  search: (request: estypes.SearchRequest, alreadyFound: number) => ReturnType<Search>,
): Promise<estypes.SearchHit<StoredItem>[]> {
  const { from = 0, size = 0 } = request;
  const wanted = Math.min(size, (await rankIndex.total()) - from);
  const hits: estypes.SearchHit<StoredItem>[] = [];
  let bytes = 0;
  while (hits.length < wanted) {
    const missing = wanted - hits.length;
    const { range, offset } = await rankIndex.locate(from + hits.length, missing);
    const inRange = Math.min(missing, range.count - offset);
    const part = { offset, size: inRange };
    const found = await readInRange(request, matching, range, part, (step) => search(step, bytes)).catch(
      (error: unknown) => {
        throw error instanceof PageTooLarge
          ? new PageTooLarge(hits.length + error.items, bytes + error.limit)
          : error;
      },
    );
    // Without this check, wrong counts would silently put wrong items on the page.
    if (found.length !== inRange)
      throw new Error(`a range of the page at rank ${from} has ${found.length} items instead of ${inRange}`);
    hits.push(...found);
    bytes += bytesOf(found.flatMap(({ _source }) => _source ?? []));
  }
  return hits;
}

/** Reads `size` hits after the first `offset` hits of a range. */
async function readInRange(
  { sort = [], _source = true }: estypes.SearchRequest,
  { clauses, order }: Matching,
  range: OrderRange,
  { offset, size }: { offset: number; size: number },
  search: Search,
): Promise<estypes.SearchHit<StoredItem>[]> {
  const query = allOf([...clauses, ...rangeClauses(range, order)]);
  const read = async (position: Pick<estypes.SearchRequest, 'from' | 'size' | 'search_after' | '_source'>) =>
    (await search({ track_total_hits: false, sort, query, _source, ...position })).hits.hits;
  const start = rangeStart(range);
  if (start === undefined) return read({ from: offset, size });
  // Elasticsearch does not accept `from` together with `search_after`, so the search reads the skipped hits.
  const search_after = searchAfterDistance(start);
  if (offset <= MAX_EXTRA_ITEMS)
    try {
      return (await read({ size: offset + size, search_after })).slice(offset);
    } catch (error) {
      if (!(error instanceof PageTooLarge && offset > 0)) throw error;
    }
  const skipped = await read({ size: offset, search_after, _source: false });
  return read({ size, search_after: skipped.at(-1)?.sort ?? search_after });
}

import type { estypes } from '@elastic/elasticsearch';
import type { FoundItem } from '../../stored/found-page.ts';
import type { StoredItem } from '../../stored/stored-item.ts';
import { itemsOf, type Matching } from '../order/matching.ts';
import { searchCandidateRanges } from '../shallow/candidate-search.ts';
import type { Estimates } from '../shallow/estimates.ts';
import { readDeepPage } from './deep-page.ts';
import { createRankIndex, type RankIndexOptions } from './rank-index.ts';

export interface OrderedPageOptions extends RankIndexOptions {
  /**
   * Searches the same point in time as the counts.
   * @param alreadyFound the size, in bytes, of the items that the page already has
   */
  read: (
    request: estypes.SearchRequest,
    alreadyFound?: number,
  ) => Promise<estypes.SearchResponse<StoredItem, unknown>>;
  /** Counts the matching items. */
  total: () => Promise<number>;
  estimates: Estimates;
}

/** Reads a page at any depth in an order that Elasticsearch can sort by, and the number of matching items. */
export function readOrderedPage(
  request: estypes.SearchRequest,
  matching: Matching,
  { read, total: count, estimates, ...rankOptions }: OrderedPageOptions,
): { total: Promise<number>; items: Promise<FoundItem[]> } {
  const { from = 0 } = request;
  const isDeep = from > rankOptions.maxSkipped;
  const rankIndex = isDeep ? createRankIndex(matching, rankOptions) : undefined;
  const total = rankIndex ? rankIndex.total() : count();
  const hits = rankIndex
    ? readDeepPage(request, matching, rankIndex, read)
    : searchCandidateRanges(request, matching, total, estimates, read);
  return { total, items: hits.then(itemsOf) };
}

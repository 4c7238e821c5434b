import type { Client, estypes } from '@elastic/elasticsearch';
import type { Histogram } from 'prom-client';
import type { DateOffers, FoundItem, FoundPage } from '../stored/found-page.ts';
import type { StoredItem } from '../stored/stored-item.ts';
import { hitsAtRank } from './deep/deep-page.ts';
import type { Counted } from './deep/range-searches.ts';
import { wholeOrder } from './deep/range-split.ts';
import { createRankDirectory } from './deep/rank-index.ts';
import type { FeedQuery } from './feed-query.ts';
import { ANY_ITEM, allOf, placeOf } from './order/feed-order.ts';
import { type Matching, totalOf, totalRequest } from './order/matching.ts';
import type { ResponseReader } from './response-reader.ts';
import { type CancellationTimes, createSearchClient } from './search-client.ts';
import type { SearchLimiter } from './search-limiter.ts';
import { Hints } from './shallow/estimates.ts';
import { hitsInReach } from './shallow/shallow-page.ts';
import { type Snapshot, Snapshots } from './shared-point-in-time.ts';

export interface FeedSearch {
  /**
   * Searches one page, at any depth. Settles only when Elasticsearch has stopped working on it, which can be
   * some time after `signal` aborts.
   * @throws FeedUnavailable without a complete result in time; Overloaded
   */
  page(query: FeedQuery, signal: AbortSignal): Promise<FoundPage>;
  /** Settles when a search succeeds. @throws FeedUnavailable */
  probe(signal: AbortSignal): Promise<void>;
  /** Closes the open point in time. All pages must have ended. */
  close(): Promise<void>;
}

export interface FeedSearchOptions {
  elasticsearch: Client;
  /** Reads responses within the memory limits. */
  responses: ResponseReader;
  indexPrefix: string;
  /** `index.max_result_window` of the items indices: the maximum of `from` + `size`. */
  resultWindow: number;
  /** How long pages share one point in time and its counts, in milliseconds. */
  snapshotLifetimeMs: number;
  /** Limits the searches that Elasticsearch works on. */
  limiter: SearchLimiter;
  /** Admits counts by distance for deep pages, which visit all matching items. */
  scans: SearchLimiter;
  /** Set only by tests. */
  cancellation?: CancellationTimes;
  /** Seconds per page, successful or not. */
  duration: Histogram;
}

/** Maximum number of items that a search skips one by one. The rank directory locates deeper pages. */
const REACH = 1_000;
/** The largest page size, plus the extra item for the cursor. */
const LARGEST_READ = 101;

interface OffersAggregation {
  offers: { window: { dates: { buckets: { key: string; doc_count: number; min_price: { value: number }; max_price: { value: number } }[] } } };
}
type SearchResponse = estypes.SearchResponse<StoredItem, OffersAggregation>;

export function createFeedSearch(options: FeedSearchOptions): FeedSearch {
  const { resultWindow, snapshotLifetimeMs, scans, duration } = options;
  const longest = Math.max(Math.min(REACH, resultWindow - LARGEST_READ), 1);
  const client = createSearchClient(options);
  const stopping = new AbortController();
  const snapshots = new Snapshots({ open: client.openPointInTime, close: client.closePointInTime, lifetimeMs: snapshotLifetimeMs });

  const searchIn = async (snapshot: Snapshot, request: estypes.SearchRequest, signal: AbortSignal): Promise<SearchResponse> => {
    const response = await client.search<OffersAggregation>({ pit: { id: snapshot.id }, ...request }, signal);
    snapshot.id = response.pit_id ?? snapshot.id;
    return response;
  };
  const countIn = (snapshot: Snapshot, request: estypes.SearchRequest, signal: AbortSignal) =>
    searchIn(snapshot, request, signal) as Promise<Counted>;

  const everything: Matching = { clauses: [ANY_ITEM], order: 'newest' };
  const hints = new Hints(() =>
    snapshots.use((snapshot) => wholeOrder(everything, (step) => countIn(snapshot, step, stopping.signal)), stopping.signal),
  );

  const readIn = async ({ request, order }: FeedQuery, snapshot: Snapshot, caller: AbortSignal): Promise<FoundPage> => {
    const failed = new AbortController();
    const signal = AbortSignal.any([caller, failed.signal]);
    const { query = allOf([]), post_filter, aggs, from = 0 } = request;
    const matching: Matching = { clauses: [query, ...(post_filter ? [post_filter] : [])], order };
    const read = (step: estypes.SearchRequest) => searchIn(snapshot, step, signal);
    const count = (step: estypes.SearchRequest, stop: AbortSignal) => countIn(snapshot, step, stop);
    const directory = from > longest ? createRankDirectory(matching, { longest, counts: snapshot.ranks, scans, search: count, signal }) : undefined;
    const total = directory
      ? directory.total()
      : snapshot.totals.read(JSON.stringify(matching.clauses), async (stop) => totalOf(await count(totalRequest(matching), stop)), signal);
    const hits = directory ? hitsAtRank(request, matching, directory, read) : hitsInReach(request, matching, total, hints, read);
    const offers = aggs && snapshot.ranks.read(JSON.stringify({ query, aggs }), (stop) => searchIn(snapshot, { size: 0, query, aggs }, stop), signal);
    const [all, found, counted] = await allOrNone([total, hits, offers] as const, failed);
    return { total: all, items: itemsOf(found), offersByDate: offersOf(counted) };
  };

  return {
    async page(query, signal) {
      const stopClock = duration.startTimer();
      return snapshots.use((snapshot) => readIn(query, snapshot, signal), signal).finally(() => stopClock());
    },
    probe: client.probe,
    async close() {
      stopping.abort();
      await snapshots.close();
    },
  };
}

const itemsOf = (hits: estypes.SearchHit<StoredItem>[]): FoundItem[] =>
  hits.flatMap(({ _source, sort }) => (_source ? [{ ..._source, place: placeOf(sort) }] : []));

function offersOf(counted: SearchResponse | undefined): DateOffers[] {
  const buckets = counted?.aggregations?.offers.window.dates.buckets ?? [];
  return buckets.map(({ key, doc_count, min_price, max_price }) => ({
    date: key,
    items: doc_count,
    minPrice: min_price.value,
    maxPrice: max_price.value,
  }));
}

/**
 * The results of all `works`. If one fails, this aborts the others, waits until they have ended, and then
 * throws.
 */
async function allOrNone<Works extends readonly unknown[]>(works: Works, stop: AbortController) {
  try {
    return await Promise.all(works);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(works);
    throw error;
  }
}

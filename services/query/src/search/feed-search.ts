import type { estypes } from '@elastic/elasticsearch';
import type { Facet } from '@vitrine/feed-index/filters';
import type { Histogram } from 'prom-client';
import type { FoundItem, FoundPage } from '../stored/found-page.ts';
import type { StoredItem } from '../stored/stored-item.ts';
import { type OffersAggregation, offersByDate, offersOf, readDateOffers } from './date-offers.ts';
import { readDeepPage } from './deep/deep-page.ts';
import type { CountResponse } from './deep/range-searches.ts';
import { type CountSearch, countOrder, sampleIds } from './deep/range-split.ts';
import { createRankIndex } from './deep/rank-index.ts';
import type { FacetValue } from './facets/facet-values.ts';
import { type FacetAggregation, readFacet } from './facets/read-facet.ts';
import type { FeedQuery } from './feed-query.ts';
import { LiveFields } from './live/live-fields.ts';
import { ANY_ITEM, allOf, type Clause, field, isByTotal, sortPositionOf } from './order/feed-order.ts';
import { type Matching, totalOf, totalRequest } from './order/matching.ts';
import { createSearchClient, type SearchClientOptions } from './search-client.ts';
import type { SearchLimiter } from './search-limiter.ts';
import { searchCandidateRanges } from './shallow/candidate-search.ts';
import { Estimates } from './shallow/estimates.ts';
import { type PointInTime, SharedPointInTime } from './shared-point-in-time.ts';

export interface FeedSearch {
  /**
   * Searches one page at any depth. The promise settles only after Elasticsearch has stopped working on the
   * page, which can be some time after `signal` aborts.
   * @param maxBytes maximum size of the found items, if it is below that of any response
   * @throws FeedUnavailable if no complete result arrives in time; Overloaded if a limiter refuses the page;
   *   PageTooLarge
   */
  page(query: FeedQuery, signal: AbortSignal, maxBytes?: number): Promise<FoundPage>;
  /** Counts all matching items, without the page. @throws FeedUnavailable, Overloaded */
  total(query: FeedQuery, signal: AbortSignal): Promise<number>;
  /** Counts the values of a facet among all matching items, most frequent first. @throws as `total` */
  facet(query: FeedQuery, facet: Facet, signal: AbortSignal): Promise<FacetValue[]>;
  /** Returns the existing items among `ids`, in any order. @param maxBytes as for `page` @throws as `page` */
  items(ids: readonly string[], signal: AbortSignal, maxBytes?: number): Promise<StoredItem[]>;
  /** Resolves when a search succeeds. @throws FeedUnavailable */
  probe(signal: AbortSignal): Promise<void>;
  /** Closes the open point in time. The caller must wait for all pages first. */
  close(): Promise<void>;
}

export interface FeedSearchOptions extends SearchClientOptions {
  /** `index.max_result_window` of the items indices: the maximum of `from` + `size`. */
  resultWindow: number;
  /** How long pages share one point in time and its counts, in milliseconds. */
  pointInTimeLifetimeMs: number;
  /** Limits concurrent distance counts for deep pages, because each count visits all matching items. */
  distanceCountLimiter: SearchLimiter;
  /** Records the search time of each page in seconds, successful or not. */
  duration: Histogram;
}

/** Maximum number of items that a search skips one by one. The rank index locates deeper pages. */
const SHALLOW_ITEMS = 1_000;
/**
 * Maximum number of matches for which one search, which visits all matches, takes less time than opening a
 * point in time, counting, and searching a range (docs/decisions/0056-cost-of-pages.md).
 */
const ONE_SEARCH_MATCHES = 50_000;
/** The largest page size, plus the extra item for the cursor. */
const MAX_READ = 101;

type SearchResponse = estypes.SearchResponse<StoredItem, OffersAggregation>;

export function createFeedSearch(options: FeedSearchOptions): FeedSearch {
  const { resultWindow, pointInTimeLifetimeMs, distanceCountLimiter, duration } = options;
  const maxSkipped = Math.max(Math.min(SHALLOW_ITEMS, resultWindow - MAX_READ), 1);
  const client = createSearchClient(options);
  const stopping = new AbortController();
  const sharedPointInTime = new SharedPointInTime({
    open: client.openPointInTime,
    close: client.closePointInTime,
    lifetimeMs: pointInTimeLifetimeMs,
  });

  const searchIn = async (
    pointInTime: PointInTime,
    request: estypes.SearchRequest,
    signal: AbortSignal,
    maxBytes?: number,
  ): Promise<SearchResponse> => {
    const response = await client.search<OffersAggregation>(
      { pit: { id: pointInTime.id }, ...request },
      signal,
      maxBytes,
    );
    pointInTime.id = response.pit_id ?? pointInTime.id;
    return response;
  };
  const countIn = (pointInTime: PointInTime, request: estypes.SearchRequest, signal: AbortSignal) =>
    searchIn(pointInTime, request, signal) as Promise<CountResponse>;

  const totalIn = (pointInTime: PointInTime, clauses: Clause[], signal: AbortSignal): Promise<number> =>
    pointInTime.totals.read(
      JSON.stringify(clauses),
      async (stop) => totalOf(await countIn(pointInTime, totalRequest(clauses), stop)),
      signal,
    );

  const inBackground = <T>(work: (search: CountSearch) => Promise<T>): Promise<T> =>
    sharedPointInTime.use(
      (pointInTime) => work((step) => countIn(pointInTime, step, stopping.signal)),
      stopping.signal,
    );
  const estimates = new Estimates({
    countOrder: (order) => inBackground((search) => countOrder({ clauses: [ANY_ITEM], order }, search)),
    sampleIds: () => inBackground((search) => sampleIds({ clauses: [ANY_ITEM], order: 'newest' }, search)),
  });

  const liveFields = new LiveFields(client, stopping.signal);
  /** Reads the shared point in time, if its index has the fields that a query needs. @throws FieldsMissing */
  const inPointInTime = <T>(
    { needs }: Pick<FeedQuery, 'needs'>,
    read: (pointInTime: PointInTime) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> =>
    sharedPointInTime.use(async (pointInTime) => {
      await liveFields.require(needs, pointInTime);
      return read(pointInTime);
    }, signal);

  const readIn = async (
    { request, order, dates = [] }: FeedQuery,
    pointInTime: PointInTime,
    caller: AbortSignal,
    maxBytes?: number,
  ): Promise<FoundPage> => {
    const failed = new AbortController();
    const signal = AbortSignal.any([caller, failed.signal]);
    const { query = allOf([]), from = 0 } = request;
    const matching: Matching = { clauses: clausesOf(request), order: isByTotal(order) ? 'price' : order };
    const read = (step: estypes.SearchRequest) => searchIn(pointInTime, step, signal, maxBytes);
    const count = (step: estypes.SearchRequest, stop: AbortSignal) => countIn(pointInTime, step, stop);
    const rankIndex =
      from > maxSkipped
        ? createRankIndex(matching, {
            maxSkipped,
            counts: pointInTime.rankCounts,
            distanceCountLimiter,
            search: count,
            signal,
          })
        : undefined;
    const total = rankIndex ? rankIndex.total() : totalIn(pointInTime, matching.clauses, signal);
    const hits = rankIndex
      ? readDeepPage(request, matching, rankIndex, read)
      : searchCandidateRanges(request, matching, total, estimates, read);
    const offers = readDateOffers(
      query,
      dates,
      pointInTime.offers,
      async (missing, stop) => {
        const counted = await searchIn(pointInTime, { size: 0, query, aggs: offersByDate(missing) }, stop);
        return offersOf(counted.aggregations);
      },
      signal,
    );
    const [all, found, counted] = await allOrAbort([total, hits, offers] as const, failed);
    return { total: all, items: itemsOf(found), offersByDate: counted };
  };

  /** Whether a page shares nothing and has few matches, so that one search for everything is cheapest. */
  const isOneSearch = ({ request, order, dates = [], needs }: FeedQuery): boolean => {
    const { from = 0 } = request;
    if (
      needs !== undefined ||
      pointInTimeLifetimeMs > 0 ||
      typeof order === 'object' ||
      dates.length > 0 ||
      from > maxSkipped
    )
      return false;
    const estimate = estimates.total(JSON.stringify(clausesOf(request)));
    return estimate !== undefined && estimate <= ONE_SEARCH_MATCHES;
  };
  /** Reads a page and its total with one search, so both show the same state of the index. */
  const readAtOnce = async (
    { request }: FeedQuery,
    signal: AbortSignal,
    maxBytes?: number,
  ): Promise<FoundPage> => {
    const response = await client.search<OffersAggregation>(request, signal, maxBytes);
    const total = totalOf(response);
    estimates.setTotal(JSON.stringify(clausesOf(request)), total);
    return { total, items: itemsOf(response.hits.hits), offersByDate: [] };
  };

  return {
    async page(query, signal, maxBytes) {
      const stopClock = duration.startTimer();
      const page = isOneSearch(query)
        ? readAtOnce(query, signal, maxBytes)
        : inPointInTime(query, (pointInTime) => readIn(query, pointInTime, signal, maxBytes), signal);
      return page.finally(() => stopClock());
    },
    total: (query, signal) =>
      inPointInTime(query, (pointInTime) => totalIn(pointInTime, clausesOf(query.request), signal), signal),
    facet: (query, facet, signal) =>
      inPointInTime(
        query,
        (pointInTime) => {
          const clauses = clausesOf(query.request);
          return pointInTime.facets.read(
            JSON.stringify([facet, clauses]),
            (stop) =>
              readFacet(facet, clauses, (step) =>
                client.search<FacetAggregation>({ pit: { id: pointInTime.id }, ...step }, stop),
              ),
            signal,
          );
        },
        signal,
      ),
    async items(ids, signal, maxBytes) {
      const request = { size: ids.length, query: { terms: { [field('id')]: [...ids] } } };
      const { hits } = await client.search<OffersAggregation>(request, signal, maxBytes);
      return hits.hits.flatMap(({ _source }) => _source ?? []);
    },
    probe: client.probe,
    async close() {
      stopping.abort();
      await sharedPointInTime.close();
    },
  };
}

const clausesOf = ({ query = allOf([]), post_filter }: estypes.SearchRequest): Clause[] => [
  query,
  ...(post_filter ? [post_filter] : []),
];

const itemsOf = (hits: estypes.SearchHit<StoredItem>[]): FoundItem[] =>
  hits.flatMap(({ _source, sort }) => (_source ? [{ ..._source, position: sortPositionOf(sort) }] : []));

/**
 * Returns the results of all `works`. If one of them fails, aborts the others, waits until they have ended,
 * and then throws.
 */
async function allOrAbort<Works extends readonly unknown[]>(works: Works, stop: AbortController) {
  try {
    return await Promise.all(works);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(works);
    throw error;
  }
}

import type { estypes } from '@elastic/elasticsearch';
import type { Histogram } from 'prom-client';
import type { RequestBudget } from '../budget/request-budget.ts';
import type { FoundPage } from '../stored/found-page.ts';
import type { StoredItem } from '../stored/stored-item.ts';
import { type OffersAggregation, offersByDate, offersOf, readDateOffers } from './date-offers.ts';
import { readOrderedPage } from './deep/ordered-page.ts';
import type { CountResponse } from './deep/range-searches.ts';
import { type CountSearch, countOrder, sampleIds } from './deep/range-split.ts';
import { lowestTotals } from './facets/facet-totals.ts';
import { type FacetAggregation, readFacet } from './facets/read-facet.ts';
import type { FeedQuery, FeedSearch } from './feed-query.ts';
import { LiveFields } from './live/live-fields.ts';
import { ANY_ITEM, allOf, type Clause, field, isByTotal } from './order/feed-order.ts';
import { clausesOf, itemsOf, totalOf, totalRequest } from './order/matching.ts';
import { createSearchClient, type SearchClientOptions } from './search-client.ts';
import type { SearchLimiter } from './search-limiter.ts';
import { Estimates } from './shallow/estimates.ts';
import { type PointInTime, SharedPointInTime } from './shared-point-in-time.ts';
import { allOrAbort } from './shared-resource.ts';
import { calendarUnknown } from './stays/stay-clauses.ts';
import { limitedClauses, readPageByTotal, readStayOffers, type StaySearch } from './stays/stay-reader.ts';

export type { FeedSearch } from './feed-query.ts';

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
  const { resultWindow, pointInTimeLifetimeMs, distanceCountLimiter, duration, responses } = options;
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
  const stayIn = (pointInTime: PointInTime, budget: RequestBudget): StaySearch => ({
    pointInTime,
    estimates,
    budget,
    search: (request, signal, maxBytes) =>
      searchIn(pointInTime, request, signal, maxBytes) as ReturnType<StaySearch['search']>,
    count: (clauses, signal) => totalIn(pointInTime, clauses, signal),
  });
  /** Reads a point in time with the clauses of a query, one of which stands for its limits on totals. */
  const withClauses = <T>(
    query: FeedQuery,
    signal: AbortSignal,
    budget: RequestBudget,
    read: (pointInTime: PointInTime, clauses: Clause[]) => Promise<T>,
  ): Promise<T> =>
    inPointInTime(
      query,
      async (pointInTime) => {
        const clauses = clausesOf(query.request);
        const limited = await limitedClauses(clauses, query.stays, stayIn(pointInTime, budget), signal);
        return read(pointInTime, limited);
      },
      signal,
    );

  const readIn = async (
    { request, order, dates = [], stays }: FeedQuery,
    pointInTime: PointInTime,
    clauses: Clause[],
    caller: AbortSignal,
    budget: RequestBudget,
  ): Promise<FoundPage> => {
    const { query = allOf([]) } = request;
    const maxBytes = Math.min(budget.readable, responses.limitOf(request.size ?? 0));
    const hasStays = stays && (await liveFields.areIn(pointInTime));
    const start = (signal: AbortSignal) => {
      const { total, items } = isByTotal(order)
        ? readPageByTotal(request, clauses, order.stay, stayIn(pointInTime, budget), signal, budget.readable)
        : readOrderedPage(
            request,
            { clauses, order },
            {
              maxSkipped,
              counts: pointInTime.rankCounts,
              distanceCountLimiter,
              search: (step, stop) => countIn(pointInTime, step, stop),
              signal,
              read: (step, found = 0) => searchIn(pointInTime, step, signal, maxBytes - found),
              total: () => totalIn(pointInTime, clauses, signal),
              estimates,
            },
          );
      const offers =
        dates.length === 0
          ? []
          : readDateOffers(
              query,
              dates,
              pointInTime.offers,
              async (missing, stop) => {
                const aggs = offersByDate(missing);
                return offersOf((await searchIn(pointInTime, { size: 0, query, aggs }, stop)).aggregations);
              },
              signal,
            );
      const stayOffers = hasStays
        ? readStayOffers(query, stays, stayIn(pointInTime, budget), signal)
        : undefined;
      return [total, items, offers, stayOffers] as const;
    };
    const [all, found, counted, ofStays] = await allOrAbort(start, caller);
    return { total: all, items: found, offersByDate: counted, ...(ofStays && { stays: ofStays }) };
  };

  /** Whether one search for everything is cheapest, because a page shares nothing and has few matches. */
  const isOneSearch = ({ request, order, dates = [], needs, stays }: FeedQuery): boolean => {
    const { from = 0 } = request;
    const asksMore = typeof order === 'object' || dates.length > 0 || (needs ?? stays) !== undefined;
    if (pointInTimeLifetimeMs > 0 || asksMore || from > maxSkipped) return false;
    const estimate = estimates.total(JSON.stringify(clausesOf(request)));
    return estimate !== undefined && estimate <= ONE_SEARCH_MATCHES;
  };
  /** Reads a page and its total with one search, so both show the same state of the index. */
  const readAtOnce = async ({ request }: FeedQuery, signal: AbortSignal, { readable }: RequestBudget) => {
    const response = await client.search<OffersAggregation>(request, signal, readable);
    const total = totalOf(response);
    estimates.setTotal(JSON.stringify(clausesOf(request)), total);
    return { total, items: itemsOf(response.hits.hits), offersByDate: [] };
  };

  return {
    async page(query, signal, budget) {
      const stopClock = duration.startTimer();
      const page = isOneSearch(query)
        ? readAtOnce(query, signal, budget)
        : withClauses(query, signal, budget, (pointInTime, clauses) =>
            readIn(query, pointInTime, clauses, signal, budget),
          );
      return page.finally(() => stopClock());
    },
    total: (query, signal, budget) =>
      withClauses(query, signal, budget, (pointInTime, clauses) => totalIn(pointInTime, clauses, signal)),
    calendarUnknown: ({ request: { query = allOf([]) } }, first, last, signal) =>
      sharedPointInTime.use(
        async (pointInTime) =>
          (await liveFields.areIn(pointInTime))
            ? totalIn(pointInTime, [query, calendarUnknown(first, last)], signal)
            : undefined,
        signal,
      ),
    facet: (query, facet, signal, budget) =>
      withClauses(query, signal, budget, ({ id, facets }, clauses) =>
        facets.read(
          JSON.stringify([facet, clauses]),
          (stop) =>
            readFacet(facet, clauses, (step) =>
              client.search<FacetAggregation>({ pit: { id }, ...step }, stop),
            ),
          signal,
        ),
      ),
    facetTotals: (query, facet, values, stay, signal, budget) =>
      withClauses(query, signal, budget, async (pointInTime, clauses) =>
        (await liveFields.areIn(pointInTime))
          ? pointInTime.facetTotals.read(
              JSON.stringify([facet, values, clauses, stay]),
              (stop) =>
                lowestTotals(facet, values, clauses, stay, {
                  search: (step) => searchIn(pointInTime, step, stop),
                  budget,
                }),
              signal,
            )
          : new Map(),
      ),
    async items(ids, signal, { readable }) {
      const request = { size: ids.length, query: { terms: { [field('id')]: [...ids] } } };
      const { hits } = await client.search<OffersAggregation>(request, signal, readable);
      return hits.hits.flatMap(({ _source }) => _source ?? []);
    },
    probe: client.probe,
    async close() {
      stopping.abort();
      await sharedPointInTime.close();
    },
  };
}

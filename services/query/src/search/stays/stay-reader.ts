import type { estypes } from '@elastic/elasticsearch';
import type { RequestBudget } from '../../budget/request-budget.ts';
import type { StayWindow } from '../../request/stay-window.ts';
import type { FoundItem, StayOffers } from '../../stored/found-page.ts';
import type { StoredItem } from '../../stored/stored-item.ts';
import { allOf, type Clause, field, sortPositionOf } from '../order/feed-order.ts';
import { PageTooLarge } from '../search-failure.ts';
import { searchCandidateRanges } from '../shallow/candidate-search.ts';
import type { Estimates } from '../shallow/estimates.ts';
import { type PointInTime, readEach } from '../shared-point-in-time.ts';
import { readCheapestFirst } from './cheapest-first.ts';
import { findStayOffers, type StaysAggregation } from './stay-offers.ts';
import type { StayQuery } from './stay-query.ts';
import { hasLimits } from './total-limits.ts';
import { withinLimits } from './within-limits.ts';

/** The result of `highestAt`. */
interface PriceAggregation {
  price: { values: { value: number | null }[] };
}

type Response = estypes.SearchResponse<StoredItem, Partial<StaysAggregation & PriceAggregation>>;

/** The searches and counts in one point in time that the code for stays needs. */
export interface StaySearch {
  pointInTime: PointInTime;
  estimates: Estimates;
  budget: RequestBudget;
  /** @param maxBytes maximum size of the response */
  search: (request: estypes.SearchRequest, signal: AbortSignal, maxBytes?: number) => Promise<Response>;
  /** Counts the items that match the clauses. Pages share the counts. */
  count: (clauses: Clause[], signal: AbortSignal) => Promise<number>;
}

type PageSearch = Omit<StaySearch, 'pointInTime'>;

/** Returns a request's clauses, with an additional one for its limits on totals, if it has any. */
export async function limitedClauses(
  clauses: Clause[],
  stays: StayQuery | undefined,
  { pointInTime, search, budget }: StaySearch,
  signal: AbortSignal,
): Promise<Clause[]> {
  if (!stays || !hasLimits(stays.limits)) return clauses;
  const { stay, limits } = stays;
  const limit = await pointInTime.limits.read(
    JSON.stringify([clauses, stay, limits]),
    (stop) => withinLimits(clauses, stay, limits, { search: (request) => search(request, stop), budget }),
    signal,
  );
  return [...clauses, limit];
}

/**
 * Reads a page in the order by total, at any depth, and the number of matching items.
 * @param request with `from` or `search_after`, `size` and the parts of the documents to read
 * @param clauses match only items that are available for some stay in the window
 * @param maxBytes maximum size of the found items
 * @throws PageTooLarge, whose `items` is half the page
 */
export function readPageByTotal(
  request: estypes.SearchRequest,
  clauses: Clause[],
  stay: StayWindow,
  search: PageSearch,
  signal: AbortSignal,
  maxBytes?: number,
): { total: Promise<number>; items: Promise<FoundItem[]> } {
  const total = search.count(clauses, signal);
  return { total, items: readItems(request, clauses, stay, total, search, signal, maxBytes) };
}

async function readItems(
  { from = 0, size = 0, search_after, _source = true }: estypes.SearchRequest,
  clauses: Clause[],
  stay: StayWindow,
  total: Promise<number>,
  { search, count, estimates, budget }: PageSearch,
  signal: AbortSignal,
  maxBytes?: number,
): Promise<FoundItem[]> {
  const options = {
    budget,
    // Without ranges, Elasticsearch would visit every matching item, because it does not prune a sort by a
    // number.
    search: async (request: estypes.SearchRequest, matched: readonly Clause[]) => ({
      hits: {
        hits: await searchCandidateRanges(
          request,
          { clauses: [...matched], order: 'lowest_night' },
          total,
          estimates,
          (step) => search(step, signal),
        ),
      },
    }),
    count: (counted: Clause[]) => count(counted, signal),
    highestAt: async (counted: Clause[], percent: number) => {
      const { aggregations } = await search(highestAt(counted, percent), signal);
      return aggregations?.price?.values[0]?.value ?? 0;
    },
  };
  const part = { from, size, after: search_after && sortPositionOf(search_after) };
  const priced = await readCheapestFirst(clauses, stay, part, total, options);
  if (priced.length === 0) return [];
  const { hits } = await search(
    {
      size: priced.length,
      track_total_hits: false,
      _source,
      sort: [{ [field('id')]: 'asc' }],
      query: allOf([{ terms: { [field('id')]: priced.map(({ id }) => id) } }]),
    },
    signal,
    maxBytes,
  ).catch((error: unknown) => {
    // The documents that fit are the first ones by id, not by total. Their number therefore does not show how
    // many of the page's items fit.
    throw error instanceof PageTooLarge
      ? new PageTooLarge(Math.floor(priced.length / 2), error.limit)
      : error;
  });
  const documents = new Map(hits.hits.map(({ sort = [], _source: item }) => [String(sort[0]), item]));
  return priced.map(({ id, total: key }) => {
    const item = documents.get(id);
    if (!item) throw new Error(`the point in time has lost item ${id}`);
    return { ...item, position: { key, id } };
  });
}

const highestAt = (clauses: Clause[], percent: number): estypes.SearchRequest => ({
  size: 0,
  track_total_hits: false,
  query: allOf(clauses),
  aggs: {
    price: {
      percentiles: {
        field: field('highest_night'),
        percents: [percent],
        keyed: false,
        tdigest: { compression: 1_000 },
      },
    },
  },
});

/** Reads the offers of the stays that a page summarizes. Pages share the offers of each stay. */
export const readStayOffers = (
  query: Clause,
  { stay: { nights }, starts }: StayQuery,
  { pointInTime, search, budget }: StaySearch,
  signal: AbortSignal,
): Promise<StayOffers[]> =>
  readEach(
    JSON.stringify([query, nights]),
    starts,
    pointInTime.stays,
    async (missing, stop) => {
      const read = (request: estypes.SearchRequest) => search(request, stop);
      const offers = await findStayOffers(query, missing, nights, {
        nights: { search: read, budget },
        count: read as Parameters<typeof findStayOffers>[3]['count'],
      });
      return new Map(offers.map((one) => [one.from, one]));
    },
    signal,
  );

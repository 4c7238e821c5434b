import type { estypes } from '@elastic/elasticsearch';
import type { DateOffers } from '../stored/found-page.ts';
import { type Clause, field } from './order/feed-order.ts';
import { readEach, type SharedCounts } from './shared-point-in-time.ts';

export interface OffersAggregation {
  offers: {
    dates: { buckets: Record<string, { doc_count: number; prices: { min: number; max: number } }> };
  };
}

/**
 * Computes, for each date, the number of available items and their lowest and highest price. In every version
 * of the mapping, an item has at most one nested document that contains a date. So one request fits all
 * versions, and each nested document that it finds counts as one item.
 */
export function offersByDate(
  dates: readonly string[],
): Record<keyof OffersAggregation, estypes.AggregationsAggregationContainer> {
  const offers = field('offers');
  return {
    offers: {
      nested: { path: offers },
      aggs: {
        dates: {
          filters: {
            filters: Object.fromEntries(dates.map((date) => [date, { term: { [`${offers}.date`]: date } }])),
          },
          aggs: { prices: { stats: { field: `${offers}.price` } } },
        },
      },
    },
  };
}

/** Reads the result of `offersByDate`. A date without items has no prices and is left out. */
export const offersOf = (counted: OffersAggregation | undefined): DateOffers[] =>
  Object.entries(counted?.offers.dates.buckets ?? {})
    .filter(([, { doc_count }]) => doc_count > 0)
    .map(([date, { doc_count, prices }]) => ({
      date,
      items: doc_count,
      minPrice: prices.min,
      maxPrice: prices.max,
    }));

/**
 * Reads the offers of the items that match `query`, on each of `dates`, as `readEach` reads values.
 * @param count searches the point in time of `counts`, until the signal aborts
 * @throws FeedUnavailable; any error from `count`
 */
export const readDateOffers = (
  query: Clause,
  dates: readonly string[],
  counts: SharedCounts,
  count: (dates: readonly string[], signal: AbortSignal) => Promise<DateOffers[]>,
  signal: AbortSignal,
): Promise<DateOffers[]> =>
  readEach(
    JSON.stringify(query),
    dates,
    counts,
    async (missing, stop) => new Map((await count(missing, stop)).map((offers) => [offers.date, offers])),
    signal,
  );

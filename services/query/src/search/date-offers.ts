import type { estypes } from '@elastic/elasticsearch';
import type { DateOffers } from '../stored/found-page.ts';
import { type Clause, field } from './order/feed-order.ts';
import type { SharedCounts } from './shared-point-in-time.ts';

/** The result of `offersByDate`. */
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
 * Reads the offers of the items that match `query`, on each of `dates`. Pages share the count of each date,
 * because the dates of two pages often overlap. One search counts all dates that no page has counted before.
 * @param count searches the point in time of `counts`, until the signal aborts
 * @param signal ends the wait of this page. A search ends when no page waits for any of its dates.
 * @throws FeedUnavailable; any error of `count`
 */
export async function readDateOffers(
  query: Clause,
  dates: readonly string[],
  counts: SharedCounts,
  count: (dates: readonly string[], signal: AbortSignal) => Promise<DateOffers[]>,
  signal: AbortSignal,
): Promise<DateOffers[]> {
  const name = JSON.stringify(query);
  const missing: { date: string; stop: AbortSignal }[] = [];
  const counted = Promise.withResolvers<DateOffers[]>();
  const reads = dates.map((date) =>
    counts.read(
      `${name}${date}`,
      async (stop) => {
        missing.push({ date, stop });
        return (await counted.promise).find((offers) => offers.date === date);
      },
      signal,
    ),
  );
  if (missing.length > 0)
    count(
      missing.map(({ date }) => date),
      whenAllAbort(missing.map(({ stop }) => stop)),
    ).then(counted.resolve, counted.reject);
  const settled = await Promise.allSettled(reads);
  return settled.flatMap((read) => {
    if (read.status === 'rejected') throw read.reason;
    return read.value ?? [];
  });
}

/** Returns a signal that aborts after all `signals` have aborted. */
function whenAllAbort(signals: readonly AbortSignal[]): AbortSignal {
  const all = new AbortController();
  let left = signals.length;
  for (const signal of signals)
    signal.addEventListener('abort', () => {
      left--;
      if (left === 0) all.abort();
    });
  return all.signal;
}

import type { estypes } from '@elastic/elasticsearch';
import { addDays } from '../../request/calendar-dates.ts';
import type { StayWindow } from '../../request/stay-window.ts';
import { freeRuns, toPrice } from '../../stored/cheapest-stay.ts';
import type { StayOffers } from '../../stored/found-page.ts';
import { allOf, type Clause } from '../order/feed-order.ts';
import { type NightReader, scanNights } from './night-scan.ts';
import { freeOn, stayClauses } from './stay-clauses.ts';

export interface StaysAggregation {
  stays: { buckets: Record<string, { doc_count: number }> };
}

export interface StaySearches {
  nights: NightReader;
  count: (request: estypes.SearchRequest) => Promise<{ aggregations?: StaysAggregation | undefined }>;
}

/** Counts, for each first night, the items that are available for the whole stay. */
const countStays = (query: Clause, starts: readonly string[], nights: number): estypes.SearchRequest => ({
  size: 0,
  track_total_hits: false,
  query,
  aggs: {
    stays: {
      filters: {
        filters: Object.fromEntries(
          starts.map((start) => [start, allOf(freeOn(start, addDays(start, nights - 1)))]),
        ),
      },
    },
  },
});

/** A scan for the totals that the previous scan left open reads more items than that scan. */
const FIRST_SCAN = 500;
const GROWTH = 4;

/**
 * Counts the items that are available for each stay, and finds their lowest and highest totals. Elasticsearch
 * counts all items. The totals come from the items with the lowest and with the highest nightly prices.
 * @param query without the dates
 * @param starts first nights, ascending
 * @returns only the stays for which an item is available
 */
export async function findStayOffers(
  query: Clause,
  starts: readonly string[],
  nights: number,
  { nights: reader, count }: StaySearches,
): Promise<StayOffers[]> {
  const extremes = (from: 'lowest' | 'highest', open: readonly string[]) =>
    extremeTotals(query, open, nights, from, reader);
  const { aggregations } = await count(countStays(query, starts, nights));
  const counts = Object.entries(aggregations?.stays.buckets ?? {}).filter(
    ([, { doc_count }]) => doc_count > 0,
  );
  const open = counts.map(([start]) => start);
  const [lowest, highest] = await Promise.all([extremes('lowest', open), extremes('highest', open)]);
  return counts.map(([from, { doc_count }]) => ({
    from,
    to: addDays(from, nights - 1),
    items: doc_count,
    minTotal: lowest.get(from) as number,
    maxTotal: highest.get(from) as number,
  }));
}

/**
 * Finds the lowest or the highest total of each stay. Reads items in the order of their extreme nightly
 * prices until no later item can have a more extreme total. A stay with few items gets a scan of only these
 * items.
 */
async function extremeTotals(
  query: Clause,
  starts: readonly string[],
  nights: number,
  from: 'lowest' | 'highest',
  reader: NightReader,
): Promise<Map<string, number>> {
  const totals = new Map<string, number>();
  const isBeyond = (a: number, b: number) => (from === 'lowest' ? a < b : a > b);
  let open = [...starts];
  for (let maxItems = FIRST_SCAN; open.length > 0; maxItems *= GROWTH) {
    const stay = coveringWindow(open, nights);
    const isOpen = new Set(open);
    const evaluate = (_: string, cents: Float64Array) => {
      for (const run of freeRuns(cents, nights)) {
        const start = addDays(stay.first, run.start);
        const total = toPrice(run.cents);
        const known = totals.get(start);
        if (isOpen.has(start) && (known === undefined || isBeyond(total, known))) totals.set(start, total);
      }
    };
    const clauses = [query, ...someOf(open, nights)];
    let read = 0;
    for await (const { items, reached } of scanNights({ clauses, stay, from }, evaluate, reader)) {
      read += items.length;
      open = reached
        ? open.filter((start) => {
            const known = totals.get(start);
            return known === undefined || isBeyond(reached.total, known);
          })
        : [];
      if (open.length === 0 || read >= maxItems) break;
    }
  }
  return totals;
}

const coveringWindow = (starts: readonly string[], nights: number): StayWindow => ({
  first: starts[0] as string,
  last: addDays(starts.at(-1) as string, nights - 1),
  nights,
});

/** Elasticsearch limits the clauses of a query to about 1,000. */
const MAX_TERMS = 500;

/**
 * Matches every item that is available for some of the stays. If there are many stays, the clauses also match
 * the stays between them.
 */
const someOf = (starts: readonly string[], nights: number): Clause[] =>
  starts.length * nights > MAX_TERMS
    ? stayClauses(coveringWindow(starts, nights))
    : [{ bool: { should: starts.map((start) => allOf(freeOn(start, addDays(start, nights - 1)))) } }];

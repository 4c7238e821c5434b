import type { SortPosition } from '../../request/sort-position.ts';
import type { StayWindow } from '../../request/stay-window.ts';
import { cheapestRun, toCents, toPrice } from '../../stored/cheapest-stay.ts';
import { type Clause, field } from '../order/feed-order.ts';
import { type NightReader, scanNights } from './night-scan.ts';

/** An item, and the total of its cheapest stay in BRL. */
export interface PricedItem {
  id: string;
  total: number;
}

/**
 * The part of the order by total that a page needs. It begins after a number of items, or after a position.
 */
export interface CheapestPart {
  from: number;
  after?: SortPosition | undefined;
  size: number;
}

export interface CheapestOptions extends NightReader {
  /** Counts the items that match the clauses. */
  count: (clauses: Clause[]) => Promise<number>;
  /** Estimates the price below which `percent` of the items' highest nightly prices are. */
  highestAt: (clauses: Clause[], percent: number) => Promise<number>;
}

/** Pages up to this rank are read from the beginning of the order. */
const SHALLOW_ITEMS = 1_000;
const CENTS = 100;
/**
 * The first items in a scan include those on the page, unless nightly prices differ. A longer first slice
 * takes less time than a second search.
 */
const FIRST_SLICE_FACTOR = 2;
const EXTRA_ITEMS = 12;

/**
 * Reads a part of the items in ascending order of their cheapest stays' totals, then of their ids. The scan
 * returns the items in the order of their lowest nightly prices, which bound the totals from below. An item
 * is settled as soon as no later item can precede it. For a deep page, the items whose highest nightly price
 * is below the page's prices are counted and left out.
 * @param clauses match only items that are available for some stay in the window
 * @param total the number of matching items
 */
export async function readCheapestFirst(
  clauses: readonly Clause[],
  stay: StayWindow,
  { from, after, size }: CheapestPart,
  total: Promise<number>,
  options: CheapestOptions,
): Promise<PricedItem[]> {
  if (after) {
    // An item with a total of at least `key` has a night that costs at least the average.
    const least = Math.floor(toCents(Number(after.key)) / stay.nights) - 1;
    const position = { total: Number(after.key), id: after.id };
    const items = await settled([...clauses, costsAtLeast(least)], stay, size, options, (item) =>
      precedes(position, item),
    );
    return items.slice(0, size);
  }
  // The first pages do not wait for the total.
  if (from <= SHALLOW_ITEMS)
    return (await settled([...clauses], stay, from + size, options)).slice(from, from + size);
  const wanted = Math.min(size, (await total) - from);
  if (wanted <= 0) return [];
  for (let margin = SHALLOW_ITEMS; from > margin; margin *= 4) {
    const page = await readDeep(
      clauses,
      stay,
      { from, wanted, percent: (100 * (from - margin)) / (await total) },
      options,
    );
    if (page) return page;
  }
  return (await settled([...clauses], stay, from + wanted, options)).slice(from, from + wanted);
}

const costsAtLeast = (cents: number): Clause => ({
  range: { [field('highest_night')]: { gte: cents / CENTS } },
});

/** @returns undefined if the left-out items do not all precede the page */
async function readDeep(
  clauses: readonly Clause[],
  stay: StayWindow,
  { from, wanted, percent }: { from: number; wanted: number; percent: number },
  options: CheapestOptions,
): Promise<PricedItem[] | undefined> {
  const least = toCents(await options.highestAt([...clauses], percent));
  const rest = [...clauses, costsAtLeast(least)];
  const all = await options.count([...clauses]);
  const leftOut = all - (await options.count(rest));
  if (leftOut > from) return undefined;
  const items = await settled(rest, stay, from - leftOut + wanted, options);
  const page = items.slice(from - leftOut, from - leftOut + wanted);
  // The total of every left-out item is below this bound, so these items precede the page.
  const bound = toPrice(stay.nights * least);
  return page.every(({ total }) => total >= bound) ? page : undefined;
}

/** Reads items until the first `wanted` ones that pass are settled. */
async function settled(
  clauses: Clause[],
  stay: StayWindow,
  wanted: number,
  reader: CheapestOptions,
  passes: (item: PricedItem) => boolean = () => true,
): Promise<PricedItem[]> {
  const scan = {
    clauses,
    stay,
    from: 'lowest',
    firstSlice: FIRST_SLICE_FACTOR * wanted + EXTRA_ITEMS,
  } as const;
  const evaluate = (id: string, cents: Float64Array): PricedItem => {
    const run = cheapestRun(cents, stay.nights);
    if (!run) throw new Error(`item ${id} matches a stay that is not in its calendar`);
    return { id, total: toPrice(run.cents) };
  };
  const found: PricedItem[] = [];
  for await (const { items, reached } of scanNights(scan, evaluate, reader)) {
    found.push(...items.filter(passes));
    if (!reached) break;
    const isSettled = (item: PricedItem) => !precedes(reached, item);
    if (found.length >= wanted && found.filter(isSettled).length >= wanted) break;
  }
  return found.sort((a, b) => (precedes(a, b) ? -1 : 1));
}

/**
 * Returns whether `a` comes before `b`: by total, and then by id. All ids are ASCII, so JavaScript and
 * Elasticsearch compare them in the same way.
 */
export const precedes = (a: PricedItem, b: PricedItem): boolean =>
  a.total < b.total || (a.total === b.total && a.id < b.id);

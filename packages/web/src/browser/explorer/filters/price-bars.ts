import type { SearchState } from '../search-state.ts';

/** With this number of bars, each one is wide enough for a finger on the narrowest screen. */
const BARS = 6;

/** The listings in a range of prices in BRL. Both limits are inclusive, and an absent one does not apply. */
export interface PriceBar {
  min?: number;
  max?: number;
  items: number;
}

/** The result of a request for one item: the number of matching listings, and the price of the item. */
export interface Counted {
  total: number;
  price: number | undefined;
}

/**
 * Counts the listings by price, because the public API has no histogram. Sends at most seven requests for one
 * item each: the cheapest and the most expensive listing, and the number of listings up to each bound between
 * them.
 * @param count sends a request for a page with one item
 * @returns no bars if all prices are about equal
 */
export async function readPriceBars(
  { feed: _, ...state }: SearchState,
  count: (state: SearchState) => Promise<Counted>,
): Promise<PriceBar[]> {
  const { min_price: _min, max_price: _max, sort: _sort, page: _page, cursor: _cursor, ...filters } = state;
  const base: SearchState = { feed: 'public-feed', ...filters };
  const { total, price: lowest } = await count({ ...base, sort: 'price' });
  if (lowest === undefined) return [];
  const { price: highest = lowest } = await count({ ...base, sort: 'price', page: total });
  const bounds = priceBounds(lowest, highest);
  if (bounds.length === 0) return [];
  const below = await Promise.all(
    bounds.map(async (bound) => (await count({ ...base, max_price: before(bound) })).total),
  );
  return [...below, total].map((upTo, i) => {
    const min = bounds[i - 1];
    const next = bounds[i];
    return {
      ...(min !== undefined && { min }),
      ...(next !== undefined && { max: before(next) }),
      // Listings may be added or removed between the requests.
      items: Math.max(0, upTo - (below[i - 1] ?? 0)),
    };
  });
}

/** The highest price below a bound. Prices are whole cents. */
const before = (bound: number): number => Math.round(bound * 100 - 1) / 100;

/** The bounds between the bars, in equal ratios, because prices range from an hour of lessons to a house. */
export function priceBounds(lowest: number, highest: number): number[] {
  const start = Math.max(1, lowest);
  const ratio = (highest / start) ** (1 / BARS);
  const bounds = Array.from({ length: BARS - 1 }, (_, i) => rounded(start * ratio ** (i + 1)));
  return [...new Set(bounds)].filter((bound) => bound > lowest && bound <= highest);
}

/** Rounds to two digits that people read easily. */
function rounded(price: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(price)) - 1);
  return Math.round(price / power) * power;
}

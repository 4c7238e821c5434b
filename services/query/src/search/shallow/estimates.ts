import { LRUCache } from 'lru-cache';
import type { Point } from '../../request/sort-position.ts';
import type { CountedOrder } from '../deep/range-split.ts';
import { VALUE_ORDERS } from '../order/value-order.ts';
import { KeyHistogram } from './key-histogram.ts';

type ValueOrderName = keyof typeof VALUE_ORDERS;

/** One minute is short enough because the distribution of sort keys changes slowly. */
const HISTOGRAM_LIFETIME_MS = 60_000;
const RETRY_MS = 1_000;
/** The cache limits the total size of the names, because a name can be as long as a request. */
const MAX_ESTIMATES_BYTES = 4 * 1024 * 1024;
const ESTIMATE_OVERHEAD_BYTES = 200;
/** A cell of a tenth of a degree is up to 11 km wide, about a district of a city. */
const CELLS_PER_DEGREE = 10;

const createStore = () =>
  new LRUCache<string, number>({
    maxSize: MAX_ESTIMATES_BYTES,
    sizeCalculation: (_, name) => name.length + ESTIMATE_OVERHEAD_BYTES,
  });

/**
 * Estimates from earlier pages, which may come from other points in time. The estimates select the range in
 * which the search for a page begins. A wrong estimate costs one extra search, but never causes a wrong
 * result.
 */
export class Estimates {
  readonly #countOrder: (order: ValueOrderName) => Promise<CountedOrder>;
  readonly #now: () => number;
  readonly #totals = createStore();
  readonly #densities = createStore();
  readonly #itemsPerMatch = createStore();
  readonly #histograms = new Map<ValueOrderName, { histogram?: KeyHistogram; nextCountAt: number }>();

  /** @param countOrder counts all items in an order. Runs in the background. */
  constructor(countOrder: (order: ValueOrderName) => Promise<CountedOrder>, now = () => performance.now()) {
    this.#countOrder = countOrder;
    this.#now = now;
  }

  /** Returns the sort keys of all items, or undefined until the first count is complete. */
  histogram(order: ValueOrderName): KeyHistogram | undefined {
    const counted = this.#histograms.get(order) ?? { nextCountAt: 0 };
    this.#histograms.set(order, counted);
    if (this.#now() >= counted.nextCountAt) void this.#count(order, counted);
    return counted.histogram;
  }

  /** Returns the estimated number of items that match `clauses`. @param clauses as JSON */
  total(clauses: string): number | undefined {
    return this.#totals.get(clauses);
  }

  setTotal(clauses: string, total: number): void {
    this.#totals.set(clauses, total);
  }

  /**
   * Returns the number of matching items per square meter around `point`, or 0 if the earlier page ended with
   * items without coordinates.
   * @param matching the filters and the depth. With the density of other filters or another depth, a page
   * would visit too many items or search too often.
   */
  densityAt(point: Point, matching: string): number | undefined {
    return this.#densities.get(cellOf(point, matching));
  }

  setDensity(point: Point, matching: string, density: number): void {
    this.#densities.set(cellOf(point, matching), density);
  }

  /**
   * Returns the number of items of the whole index per matching item in a part of a value order, or Infinity
   * if the earlier page ended with items without a sort key.
   * @param part the order, the filters and the depth
   */
  itemsPerMatch(part: string): number | undefined {
    return this.#itemsPerMatch.get(part);
  }

  setItemsPerMatch(part: string, items: number): void {
    this.#itemsPerMatch.set(part, items);
  }

  async #count(
    order: ValueOrderName,
    counted: { histogram?: KeyHistogram; nextCountAt: number },
  ): Promise<void> {
    counted.nextCountAt = Number.POSITIVE_INFINITY;
    try {
      counted.histogram = new KeyHistogram(await this.#countOrder(order), VALUE_ORDERS[order]);
      counted.nextCountAt = this.#now() + HISTOGRAM_LIFETIME_MS;
    } catch {
      // The histogram is only an optimization. Without it, a page takes more work.
      counted.nextCountAt = this.#now() + RETRY_MS;
    }
  }
}

const cellOf = ({ lat, lon }: Point, matching: string): string =>
  `${Math.floor(lat * CELLS_PER_DEGREE)} ${Math.floor(lon * CELLS_PER_DEGREE)} ${matching}`;

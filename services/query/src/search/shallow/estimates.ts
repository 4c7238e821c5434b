import { LRUCache } from 'lru-cache';
import type { Point } from '../../request/sort-position.ts';
import type { CountedOrder } from '../deep/range-split.ts';
import { VALUE_ORDERS } from '../order/value-order.ts';
import { IdSample } from './id-sample.ts';
import { KeyHistogram } from './key-histogram.ts';

/** One minute is short enough because the distribution of sort keys and ids changes slowly. */
const LIFETIME_MS = 60_000;

const RETRY_MS = 1_000;

type ValueOrderName = keyof typeof VALUE_ORDERS;

/** The cache limits the total size of the names, because a name can be as long as a request. */
const MAX_ESTIMATES_BYTES = 4 * 1024 * 1024;
const ESTIMATE_OVERHEAD_BYTES = 200;
/** A cell of a tenth of a degree is up to 11 km wide, about the size of a city district. */
const CELLS_PER_DEGREE = 10;

const createStore = () =>
  new LRUCache<string, number>({
    maxSize: MAX_ESTIMATES_BYTES,
    sizeCalculation: (_, name) => name.length + ESTIMATE_OVERHEAD_BYTES,
  });

/** Stores a value only if it has changed, because most pages confirm what an earlier page has stored. */
function setIfNew(store: LRUCache<string, number>, name: string, value: number): void {
  if (store.get(name) !== value) store.set(name, value);
}

/** The data that the estimates read in the background. */
export interface EstimateSources {
  /** Counts all items in an order. */
  countOrder(order: ValueOrderName): Promise<CountedOrder>;
  /** Returns a random sample of all ids. */
  sampleIds(): Promise<string[]>;
}

/**
 * Estimates from earlier pages, which may come from other points in time. The estimates select the range in
 * which the search for a page begins. A wrong estimate costs one extra search, but never causes a wrong
 * result.
 */
export class Estimates {
  readonly #totals = createStore();
  readonly #densities = createStore();
  readonly #itemsPerMatch = createStore();
  readonly #sharesPerMatch = createStore();
  readonly #histogramOf: (order: ValueOrderName) => Refreshed<KeyHistogram>;
  readonly #histograms = new Map<ValueOrderName, Refreshed<KeyHistogram>>();
  readonly #ids: Refreshed<IdSample>;

  constructor({ countOrder, sampleIds }: EstimateSources, now = () => performance.now()) {
    this.#histogramOf = (order) =>
      new Refreshed(async () => new KeyHistogram(await countOrder(order), VALUE_ORDERS[order]), now);
    this.#ids = new Refreshed(async () => new IdSample(await sampleIds()), now);
  }

  /** Returns the sort keys of all items, or undefined until the first count is complete. */
  histogram(order: ValueOrderName): KeyHistogram | undefined {
    const histogram = this.#histograms.get(order) ?? this.#histogramOf(order);
    this.#histograms.set(order, histogram);
    return histogram.value;
  }

  /** Returns a sample of all ids, or undefined until the first sample is complete. */
  ids(): IdSample | undefined {
    return this.#ids.value;
  }

  /** Returns the estimated number of items that match `clauses`. @param clauses as JSON */
  total(clauses: string): number | undefined {
    return this.#totals.get(clauses);
  }

  setTotal(clauses: string, total: number): void {
    setIfNew(this.#totals, clauses, total);
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
   * Returns the number of items in the whole index per matching item in a part of a value order, or Infinity
   * if the earlier page ended with items without a sort key.
   * @param part the order, the filters and the depth
   */
  itemsPerMatch(part: string): number | undefined {
    return this.#itemsPerMatch.get(part);
  }

  setItemsPerMatch(part: string, items: number): void {
    setIfNew(this.#itemsPerMatch, part, items);
  }

  /**
   * Returns the share of all ids per matching item among the items with one sort key.
   * @param ties the order, the sort key and the filters
   */
  sharePerMatch(ties: string): number | undefined {
    return this.#sharesPerMatch.get(ties);
  }

  setSharePerMatch(ties: string, share: number): void {
    this.#sharesPerMatch.set(ties, share);
  }
}

const cellOf = ({ lat, lon }: Point, matching: string): string =>
  `${Math.floor(lat * CELLS_PER_DEGREE)} ${Math.floor(lon * CELLS_PER_DEGREE)} ${matching}`;

/**
 * A value that is read in the background, and again every minute while it is in use. No caller waits for it.
 */
class Refreshed<T> {
  readonly #read: () => Promise<T>;
  readonly #now: () => number;
  #value: T | undefined;
  #nextReadAt = 0;

  constructor(read: () => Promise<T>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /** The newest value, or undefined until the first read is complete. */
  get value(): T | undefined {
    if (this.#now() >= this.#nextReadAt) void this.#refresh();
    return this.#value;
  }

  async #refresh(): Promise<void> {
    this.#nextReadAt = Number.POSITIVE_INFINITY;
    try {
      this.#value = await this.#read();
      this.#nextReadAt = this.#now() + LIFETIME_MS;
    } catch {
      // The value is only an optimization. Without it, a page takes more work.
      this.#nextReadAt = this.#now() + RETRY_MS;
    }
  }
}

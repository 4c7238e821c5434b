import type { CountedOrder } from '../deep/range-split.ts';
import { nextAbove, nextBelow } from '../order/doubles.ts';
import type { ValueRange } from '../order/key-range.ts';
import type { ValueOrder, Values } from '../order/value-order.ts';

/** A range of positions. A position is a value, negated if the order descends, so positions always ascend. */
interface Part {
  begin: number;
  end: number;
  count: number;
}

/**
 * The number of items in the whole index by sort key. The histogram assumes an even distribution within a
 * range.
 */
export class KeyHistogram {
  readonly total: number;
  readonly #isAscending: boolean;
  readonly #parts: Part[];

  constructor({ total, ranges }: CountedOrder, { direction }: Pick<ValueOrder, 'direction'>) {
    this.total = total;
    this.#isAscending = direction === 'asc';
    this.#parts = ranges
      .filter((range) => range.by === 'value')
      .map(({ from, below, count }: ValueRange) =>
        this.#isAscending ? { begin: from, end: below, count } : { begin: -below, end: -from, count },
      );
  }

  /**
   * Estimates the values of the next `count` items.
   * @param after the value after which these items begin. Items with this value count. If undefined, they
   * begin at the first value.
   * @returns undefined if there are fewer than `count` items
   */
  next(count: number, after: number | undefined): Values | undefined {
    const start = this.#startAfter(after);
    let missing = count;
    for (let i = this.#firstAfter(start); i < this.#parts.length; i++) {
      const part = cut(this.#parts[i] as Part, start);
      if (part.count >= missing)
        return this.#upTo(part.begin + (missing / part.count) * (part.end - part.begin), part, after);
      missing -= part.count;
    }
    return undefined;
  }

  /**
   * Estimates the number of items from the value `after` (as for `next`) up to the value `before`, exclusive.
   */
  countBefore(before: number, after: number | undefined): number {
    const [start, end] = [this.#startAfter(after), this.#startAfter(before)];
    let count = 0;
    for (let i = this.#firstAfter(start); i < this.#parts.length; i++) {
      const part = cut(this.#parts[i] as Part, start);
      if (part.end <= end) count += part.count;
      else return count + part.count * Math.max((end - part.begin) / (part.end - part.begin), 0);
    }
    return count;
  }

  /**
   * Returns the index of the first part that ends after `start`. Positions ascend, so the later parts also
   * end after `start`.
   */
  #firstAfter(start: number): number {
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#parts[middle] as Part).end <= start) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #startAfter(after: number | undefined): number {
    if (after === undefined) return Number.NEGATIVE_INFINITY;
    return this.#isAscending ? after : -nextAbove(after);
  }

  /**
   * Returns the values up to `end`, a position in `part`. Rounding must not exclude a part with a single
   * value.
   */
  #upTo(end: number, { begin }: Part, after: number | undefined): Values {
    return this.#isAscending
      ? { from: after ?? Number.NEGATIVE_INFINITY, below: nextAbove(end) }
      : {
          from: Math.min(-end, nextBelow(-begin)),
          below: after === undefined ? Number.POSITIVE_INFINITY : nextAbove(after),
        };
  }
}

/** Returns the rest of `part` after `start`. */
function cut(part: Part, start: number): Part {
  if (part.begin >= start) return part;
  const { end, count } = part;
  return { begin: start, end, count: (count * (end - start)) / (end - part.begin) };
}

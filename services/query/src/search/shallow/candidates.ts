import type { SortPosition } from '../../request/sort-position.ts';
import type { OrderRange } from '../order/key-range.ts';
import type { Matching } from '../order/matching.ts';
import {
  densityOf,
  type Matches,
  nearbyRanges,
  type OrderPart,
  tiedRange,
  valueRanges,
} from './candidate-ranges.ts';
import type { Estimates } from './estimates.ts';

/** The ranges in which the service searches for a page, and what the estimates learn from the page. */
export interface Candidates {
  ranges(): AsyncIterable<OrderRange> | Iterable<OrderRange>;
  /**
   * Stores what later pages need to choose their ranges.
   * @param last the position of the page's last item
   * @param count the number of matching items up to this position
   */
  learn(last: SortPosition, count: number): void;
}

/** Returns the candidates for a page, the narrowest first. */
export function candidatesOf(
  part: OrderPart,
  { clauses, order }: Matching,
  total: Promise<number>,
  estimates: Estimates,
): Candidates[] {
  const name = JSON.stringify(clauses);
  const matches = { estimate: estimates.total(name), total };
  // The density of items changes along the order, so the estimates are separate for each depth.
  const depth = [part.count, part.after?.key ?? 0].map((key) => Math.ceil(Math.log2(key + 1)));
  const area = `${depth} ${name}`;
  return typeof order === 'object'
    ? [
        // No filter selects the items at exactly one distance.
        ...(part.after?.key === null ? [tied(part, `nearest ${name}`, estimates)] : []),
        near(order, part, matches, area, estimates),
      ]
    : [
        ...(part.after ? [tied(part, `${order} ${name}`, estimates)] : []),
        byValue(order, part, matches, `${order} ${area}`, estimates),
      ];
}

/** Returns candidates for items with the same sort key as the item after which the page begins. */
function tied(part: OrderPart, name: string, estimates: Estimates): Candidates {
  const { after } = part;
  const ties = `${after?.key} ${name}`;
  return {
    ranges: () => (after ? tiedRange(part, estimates.ids(), estimates.sharePerMatch(ties)) : []),
    learn({ key, id }, count) {
      const share = after && key === after.key ? estimates.ids()?.shareBetween(after.id, id) : undefined;
      if (share !== undefined) estimates.setSharePerMatch(ties, share / count);
    },
  };
}

function byValue(
  order: Exclude<Matching['order'], object>,
  part: OrderPart,
  matches: Matches,
  area: string,
  estimates: Estimates,
): Candidates {
  const histogram = estimates.histogram(order);
  const begin = part.after?.key;
  return {
    ranges: () => valueRanges(part, matches, histogram, estimates.itemsPerMatch(area)),
    learn({ key }, count) {
      if (begin === null || key === begin) return;
      // A page that ends with items without a key does not cover a measurable part of the order.
      if (key === null) estimates.setItemsPerMatch(area, Number.POSITIVE_INFINITY);
      else if (histogram)
        estimates.setItemsPerMatch(area, Math.max(histogram.countBefore(key, begin), 1) / count);
    },
  };
}

function near(
  point: Extract<Matching['order'], object>,
  part: OrderPart,
  matches: Matches,
  area: string,
  estimates: Estimates,
): Candidates {
  return {
    ranges: () => nearbyRanges(part, matches, estimates.densityAt(point, area)),
    learn({ key }, count) {
      const begin = part.after?.key ?? 0;
      // A page that ends with items without coordinates does not cover a measurable area.
      if (key === null) estimates.setDensity(point, area, 0);
      else if (key > begin) estimates.setDensity(point, area, densityOf(count, begin, key));
    },
  };
}

import { CLOSED, type OracleListing } from './oracle-listing.ts';
import { isOpen, type Range } from './selection.ts';

type Calendar = Pick<OracleListing, 'nights'>;

/**
 * Returns the free ranges of the same length that begin before and after the given range and are nearest to
 * it. If a side has no such range, its member is absent.
 */
export function nearestFree(listing: Calendar, [first, last]: Range): { before?: Range; after?: Range } {
  const length = last - first;
  const free = (begin: number): Range | undefined => {
    const range = [begin, begin + length] as const;
    return isOpen(listing, range) ? range : undefined;
  };
  let before: Range | undefined;
  for (let begin = first - 1; begin >= 0 && !before; begin--) before = free(begin);
  let after: Range | undefined;
  for (let begin = first + 1; begin + length < listing.nights.length && !after; begin++) after = free(begin);
  return { ...(before && { before }), ...(after && { after }) };
}

/** Returns the dates of the range on which the listing is not available. */
export const closedDates = ({ nights }: Calendar, [first, last]: Range): number[] =>
  Array.from({ length: last - first + 1 }, (_, offset) => first + offset).filter(
    (day) => (nights[day] ?? CLOSED) === CLOSED,
  );

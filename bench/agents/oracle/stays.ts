import type { OracleListing } from './oracle-listing.ts';
import { isOpen, type Range } from './selection.ts';

export interface PricedStay {
  listing: OracleListing;
  /** Both dates are numbers of days after today. `last` is the last night. */
  first: number;
  last: number;
  cents: number;
}

/** The stay on these dates; undefined if a date is not open. */
export function stayOn(listing: OracleListing, [first, last]: Range): PricedStay | undefined {
  if (!isOpen(listing, [first, last])) return undefined;
  const cents = listing.nights.slice(first, last + 1).reduce((sum, night) => sum + night, 0);
  return { listing, first, last, cents };
}

/** The cheapest stay of this length within the window. Of equally cheap stays, it is the earliest. */
export function cheapestStay(
  listing: OracleListing,
  [first, last]: Range,
  nights: number,
): PricedStay | undefined {
  let best: PricedStay | undefined;
  for (let begin = first; begin + nights - 1 <= last; begin++) {
    const stay = stayOn(listing, [begin, begin + nights - 1]);
    if (stay && stay.cents < (best?.cents ?? Infinity)) best = stay;
  }
  return best;
}

/** Sorts the cheapest stays first. Stays with equal totals are in the order of their ids. */
export const cheapestFirst = (stays: readonly (PricedStay | undefined)[]): PricedStay[] =>
  stays
    .filter((stay) => stay !== undefined)
    .sort((a, b) => a.cents - b.cents || (a.listing.id < b.listing.id ? -1 : 1));

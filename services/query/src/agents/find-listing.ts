import { BudgetExceeded } from '../budget/request-budget.ts';
import { identifier } from './answer-text.ts';
import type { Listing, ListingSource } from './listing-source.ts';

/** No listing has the asked id. */
export class UnknownListing extends Error {
  constructor(id: string) {
    super(
      `No listing has the id ${identifier(id)}. Ids come from search_listings. The listing may have been removed.`,
    );
    this.name = 'UnknownListing';
  }
}

/**
 * @param dates of the calendar, as for `ListingSource.byIds`
 * @throws UnknownListing, BudgetExceeded; the errors of ListingSource
 */
export async function findListing(
  source: ListingSource,
  id: string,
  dates: readonly [first: string, last: string],
  signal: AbortSignal,
): Promise<Listing> {
  const { found, unread } = await source.byIds([id], dates, signal);
  if (unread.has(id)) throw new BudgetExceeded('foundBytes');
  const listing = found.get(id);
  if (!listing) throw new UnknownListing(id);
  return listing;
}

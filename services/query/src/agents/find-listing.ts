import { cell } from './answer-text.ts';
import type { Listing } from './listing.ts';
import type { ListingSource } from './listing-source.ts';

/** No listing has the asked id. */
export class UnknownListing extends Error {
  constructor(id: string) {
    super(
      `No listing has the id ${cell(id)}. Ids come from search_listings. The listing may have been removed.`,
    );
    this.name = 'UnknownListing';
  }
}

/** @throws UnknownListing; the errors of ListingSource */
export async function findListing(source: ListingSource, id: string, signal: AbortSignal): Promise<Listing> {
  const listing = (await source.byIds([id], signal)).get(id);
  if (!listing) throw new UnknownListing(id);
  return listing;
}

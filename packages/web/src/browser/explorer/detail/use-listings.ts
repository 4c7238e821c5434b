import { useRetried } from '../use-retried.ts';
import { type Listing, readListing } from './read-listing.ts';

/** A listing, or the reason why there is none. `gone` means that the service has no listing with this id. */
export type ListingState = Listing | 'loading' | 'gone' | 'failed';

/** Reads listings, and reads them again after a failure. @returns a state for each id, in the order of the ids */
export function useListings(ids: readonly string[]): ListingState[] {
  const { value = [], hasFailed } = useRetried(ids.join(), (signal) =>
    Promise.all(ids.map(async (id) => [id, (await readListing(id, signal)) ?? 'gone'] as const)),
  );
  // A listing stays known when another one leaves the comparison.
  const known = new Map<string, ListingState>(value);
  return ids.map((id) => known.get(id) ?? (hasFailed ? 'failed' : 'loading'));
}

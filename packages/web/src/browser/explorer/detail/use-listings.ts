import { useRef, useState } from 'preact/hooks';
import { useRetried } from '../use-retried.ts';
import { type Listing, readListing } from './read-listing.ts';

/** A listing, or the reason why there is none. `gone` means that the service has no listing with this id. */
export type ListingState = Listing | 'loading' | 'gone' | 'failed';

/**
 * Reads listings, and repeats the reads that failed. A known listing stays known while others fail or leave
 * the comparison.
 * @returns a state for each id, in the order of the ids
 */
export function useListings(ids: readonly string[]): ListingState[] {
  const known = useRef(new Map<string, Listing | 'gone'>()).current;
  const [, show] = useState(0);
  const { hasFailed } = useRetried(ids.join(), async (signal) => {
    const missing = ids.filter((id) => !known.has(id));
    const reads = missing.map(async (id) => known.set(id, (await readListing(id, signal)) ?? 'gone'));
    const failure = (await Promise.allSettled(reads)).find(({ status }) => status === 'rejected');
    show(known.size);
    if (failure) throw new Error('A listing could not be read.');
  });
  return ids.map((id) => known.get(id) ?? (hasFailed ? 'failed' : 'loading'));
}

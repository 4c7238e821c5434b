import { useEffect, useState } from 'preact/hooks';
import { type Listing, readListing } from './read-listing.ts';

/** A listing, or why there is none. `gone`: the service has no listing with this id. */
export type ListingState = Listing | 'loading' | 'gone' | 'failed';

const RETRY_MS = 3_000;

/** Reads listings, and reads those again that failed. @returns a state for each id, in the order of the ids */
export function useListings(ids: readonly string[]): ListingState[] {
  const [read, setRead] = useState<ReadonlyMap<string, ListingState>>(new Map());
  const key = ids.join();
  useEffect(() => {
    const leaving = new AbortController();
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const set = (id: string, state: ListingState) => {
      if (!leaving.signal.aborted) setRead((known) => new Map(known).set(id, state));
    };
    const load = (id: string): void => {
      readListing(id, leaving.signal).then(
        (listing) => set(id, listing ?? 'gone'),
        () => {
          set(id, 'failed');
          if (!leaving.signal.aborted) timers.add(setTimeout(() => load(id), RETRY_MS));
        },
      );
    };
    for (const id of ids) if (typeof read.get(id) !== 'object') load(id);
    return () => {
      leaving.abort();
      for (const timer of timers) clearTimeout(timer);
    };
  }, [key]);
  return ids.map((id) => read.get(id) ?? 'loading');
}

import type { Item } from '@vitrine/feed-index';
import type { Derived, Rules } from './derive-item.ts';
import type { ListingState } from './listing-state.ts';

/** An item, the reason why the listing is hidden, or a description of how the rules failed. */
export type Attempt<I = Item> =
  | (Derived<I> & { failure?: never })
  | { failure: string; item?: never; hidden?: never };

/**
 * Derives an item. If the rules throw, the function returns a description of the error, because the error
 * affects only one listing.
 */
export function deriveSafely<I>(rules: Rules<I>, id: string, state: ListingState): Attempt<I> {
  try {
    return rules.derive(id, state);
  } catch (error) {
    return { failure: `the rules could not derive the item: ${String(error)}` };
  }
}

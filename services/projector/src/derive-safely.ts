import type { Derived, Rules } from './feed-item.ts';
import type { ListingState } from './listing-state.ts';

/** An item, the reason why there is none, or a sentence that says how the rules failed. */
export type Attempt = (Derived & { failure?: never }) | { failure: string; item?: never; hidden?: never };

/** Derives an item. A fault of the rules is a result and not an exception, because it concerns one listing only. */
export function deriveSafely(rules: Rules, id: string, state: ListingState): Attempt {
  try {
    return rules.derive(id, state);
  } catch (error) {
    return { failure: `its item could not be derived: ${String(error)}` };
  }
}

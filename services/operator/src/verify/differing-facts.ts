import { EMPTY_STATE, type ListingState } from '@vitrine/listing';
import { contentHash } from './content-hash.ts';

/**
 * The versions at or below which a state hides events: of its last removal, and of its last calendar
 * replacement.
 */
export type HidingVersions = Pick<ListingState, 'removed' | 'replaced'>;

/** Facts of a state that a comparison can find missing. */
export type Fact = 'removed' | 'replaced' | 'fields' | 'dates';

/**
 * Removals and calendar replacements that the live generation knows and the new one does not. Without these
 * facts, a late event could make content visible that the live generation hides. Pure.
 * @param fresh undefined = the new generation has no state
 */
export function lostHiding(
  live: HidingVersions,
  fresh: HidingVersions = { removed: 0, replaced: 0 },
): Fact[] {
  const lost: Fact[] = [];
  if (live.removed > fresh.removed) lost.push('removed');
  // A removal also hides dates.
  if (live.replaced > Math.max(fresh.replaced, fresh.removed)) lost.push('replaced');
  return lost;
}

/**
 * Facts that are missing or different in the new generation, for a listing whose items are equal or absent.
 * If neither generation has an item, all facts count: a later event may complete the listing. Pure.
 */
export function differingFacts(
  live: ListingState | undefined,
  fresh: ListingState | undefined,
  hasItem: boolean,
): Fact[] {
  if (!live) return [];
  if (hasItem) return lostHiding(live, fresh);
  const names: Fact[] = ['removed', 'replaced', 'fields', 'dates'];
  return names.filter((name) => contentHash(live[name]) !== contentHash((fresh ?? EMPTY_STATE)[name]));
}

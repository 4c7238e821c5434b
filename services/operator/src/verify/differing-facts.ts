import { EMPTY_STATE, type ListingState } from '@vitrine/listing';
import { compareVersions, higherVersion } from '@vitrine/listing-events';
import { contentHash } from './content-hash.ts';

/** The versions of the last removal and of the last calendar replacement. A state hides older content. */
export type HidingVersions = Pick<ListingState, 'removed' | 'replaced'>;

/** The facts of a state that can be missing or different in another state. */
export type Fact = 'removed' | 'replaced' | 'fields' | 'dates';

/**
 * Finds removals and calendar replacements that the live generation knows but the new generation does not. If
 * they are missing, a late event could reveal content that the live generation hides. Pure.
 * @param fresh undefined if the new generation has no state
 */
export function lostHiding(
  live: HidingVersions,
  fresh: HidingVersions = { removed: 0, replaced: 0 },
): Fact[] {
  const lost: Fact[] = [];
  if (compareVersions(live.removed, fresh.removed) > 0) lost.push('removed');
  // A removal hides dates too.
  if (compareVersions(live.replaced, higherVersion(fresh.replaced, fresh.removed)) > 0) lost.push('replaced');
  return lost;
}

/**
 * Finds facts that are missing or different in the new generation, for a listing whose items are equal or
 * both absent. If neither generation has an item, all facts count, because a later event may complete the
 * listing. Pure.
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

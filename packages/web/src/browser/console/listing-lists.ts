import type { Listed, ListKind, Status } from './api-types.ts';

/** The lists of the command `listings`. */
export const LISTS: readonly ListKind[] = ['hidden', 'dropped', 'superseded', 'dead-letters'];

/** The fields without which the rules hide a listing, in the order in which the rules check them. */
export const REQUIRED = ['title', 'price', 'location', 'url'] as const;

/**
 * The words with which a list can be filtered. If a list has no entry, its words are those that occur in it,
 * or there are no words. The page does not load the rules, so a test compares the words with them.
 */
export const NAMES: { readonly [K in ListKind]?: readonly string[] } = {
  hidden: ['removed', ...REQUIRED],
  dropped: [
    'description',
    'category',
    'sub_category',
    'location',
    'provider',
    'rating',
    'review_count',
    'images',
    'published_at',
    'availability',
  ],
};

/** Returns a list's words. Those for hidden listings include the reasons from the rules module. Pure. */
export const namesOf = (list: ListKind, reasons: Status['reasons']): readonly string[] | undefined =>
  list === 'hidden' ? [...(NAMES.hidden ?? []), ...Object.keys(reasons ?? {})] : NAMES[list];

/** The lists that can be filtered by source. */
export const WITH_SOURCE: readonly ListKind[] = ['superseded', 'dead-letters'];

/** Reads the list that a link names. Pure. */
export const listOf = (text: string | undefined): ListKind => LISTS.find((one) => one === text) ?? 'hidden';

/**
 * Divides entries into those for one page and the rest. The console requests one listing more than a page
 * shows, and a listing can have several entries. Pure.
 * @returns `next`: the id after which the next page begins; absent on the last page
 */
export function onePage(entries: readonly Listed[], listings: number): { shown: Listed[]; next?: string } {
  const ids = [...new Set(entries.map(({ id }) => id))];
  if (ids.length <= listings) return { shown: [...entries] };
  const kept = new Set(ids.slice(0, listings));
  return { shown: entries.filter(({ id }) => kept.has(id)), next: ids[listings - 1] as string };
}

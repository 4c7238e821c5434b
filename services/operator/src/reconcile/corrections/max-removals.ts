/** How many of the live items the corrections may remove: a number, or a share of them. */
export type MaxRemovals = { items: number } | { percent: number };

/** Parses `1%`, `0.5%` or `20`. Returns undefined for other strings. Pure. */
export function parseMaxRemovals(text: string): MaxRemovals | undefined {
  const [, number, percent] = /^(\d{1,15}|\d{1,3}(?:\.\d{1,6})?(?=%))(%)?$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  if (percent === undefined) return { items: Number(number) };
  return Number(number) <= 100 ? { percent: Number(number) } : undefined;
}

/** The largest allowed number of removals. Pure. @param items number of live items */
export const allowedRemovals = (max: MaxRemovals, items: number): number =>
  'items' in max ? max.items : Math.floor((items * max.percent) / 100);

/**
 * Explains why corrections must not be applied, because an incomplete source looks like many deletions.
 * Returns undefined if they may be applied. Pure.
 * @param removed the number of live items that the corrections remove or hide
 * @param items the number of live items
 */
export function excessiveRemovals(max: MaxRemovals, removed: number, items: number): string | undefined {
  const allowed = allowedRemovals(max, items);
  if (removed <= allowed) return undefined;
  return (
    `the corrections would remove ${removed} of ${items} live items, but --max-removals allows ${allowed}. ` +
    'Check that the source is complete before you allow more'
  );
}

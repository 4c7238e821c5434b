/** An item of a feed, an export line, or the data of a change. */
export type ServedItem = Record<string, unknown> & { id: string };

/** The required members that an item lacks (docs/reference/rules.md#completeness). */
export function missingMembers(item: ServedItem): string[] {
  const { id, title, price, currency, url, location } = item as Record<string, unknown>;
  const city = (location as Record<string, unknown> | undefined)?.city;
  return Object.entries({ id, title, currency, url, 'location.city': city })
    .filter(([, value]) => typeof value !== 'string' || value === '')
    .map(([name]) => name)
    .concat(typeof price === 'number' && price > 0 ? [] : ['price']);
}

/** What is wrong with the items in one response. Empty if nothing is. */
export function faultsOfItems(items: readonly ServedItem[]): string[] {
  const faults = items.flatMap((item) => {
    const missing = missingMembers(item);
    return missing.length > 0 ? [`item ${item.id} is incomplete: ${missing.join(', ')}`] : [];
  });
  const ids = new Set<string>();
  for (const { id } of items) {
    if (ids.has(id)) faults.push(`item ${id} appears twice in one response`);
    ids.add(id);
  }
  return faults;
}

const CENTS = 100;

/**
 * What is wrong with the stays on a page: each must be a free run of this length at the sum of its prices.
 */
export function faultsOfStays(items: readonly ServedItem[], nights: number): string[] {
  return items.flatMap(({ id, stay, availability }) => {
    const { from, to, total_price } = (stay ?? {}) as { from?: string; to?: string; total_price?: number };
    const days = (availability as { date: string; available: boolean; price?: number }[]).filter(
      ({ date }) => from !== undefined && to !== undefined && from <= date && date <= to,
    );
    if (days.length !== nights || days.some(({ available }) => !available))
      return [`the stay of ${id} is not ${nights} free nights`];
    const cents = days.reduce((sum, { price = Number.NaN }) => sum + Math.round(price * CENTS), 0);
    return Number.isNaN(cents) || cents === Math.round((total_price ?? 0) * CENTS)
      ? []
      : [`the stay of ${id} costs ${total_price} instead of ${cents / CENTS}`];
  });
}

/** What is wrong with a cursor crawl: each listing that was present throughout must appear exactly once. */
export function faultsOfCrawl(ids: readonly string[], steady: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return steady.flatMap((id) => {
    const count = counts.get(id) ?? 0;
    return count === 1 ? [] : [`the crawl contains ${id} ${count} times`];
  });
}

export interface ChangeItem {
  id: string;
  state: 'updated' | 'deleted';
  modified: number;
  data?: ServedItem;
}

/** What is wrong with a page of changes after this change number. */
export function faultsOfChanges(after: number, items: readonly ChangeItem[]): string[] {
  const faults: string[] = [];
  let last = after;
  for (const { id, state, modified, data } of items) {
    if (!(modified > last)) faults.push(`change ${modified} of ${id} is not above ${last}`);
    if ((state === 'updated') !== (data !== undefined))
      faults.push(`change ${modified} of ${id}: wrong data`);
    last = Math.max(last, modified);
  }
  return [...faults, ...faultsOfItems(items.flatMap(({ data }) => (data ? [data] : [])))];
}

/** What is wrong with the progress of a follower between two looks at its copy. */
export function faultsOfProgress(
  before: { run: number; position: number },
  after: { run: number; position: number },
): string[] {
  if (after.run !== before.run) return [`it started over: run ${before.run}, then ${after.run}`];
  if (after.position < before.position)
    return [`it went back from change ${before.position} to ${after.position}`];
  return [];
}

/** What is wrong after a switch: the items and the changes must both be those of the expected generation. */
export function faultsOfLive(
  expected: number,
  roles: { readonly live?: number },
  changes: { readonly epoch: number; readonly generation: number } | undefined,
): string[] {
  const epoch = changes && ` (epoch ${changes.epoch})`;
  return [
    ...(roles.live === expected ? [] : [`generation ${roles.live ?? 'none'} is live`]),
    ...(changes?.generation === expected
      ? []
      : [`the live changes are of generation ${changes?.generation ?? 'none'}${epoch ?? ''}`]),
  ];
}

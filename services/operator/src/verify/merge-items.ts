import type { HashedItem } from './item-scan.ts';

/** The number of items in each of two scans, and of items that are equal in both. */
export interface Merged {
  first: number;
  second: number;
  equal: number;
}

/**
 * Merges two scans in the order of the feed. Reports an item twice if its positions differ.
 * @param onUnequal receives the id of each item that exists in only one scan or has different content
 */
export async function mergeItems(
  first: AsyncIterable<HashedItem[]>,
  second: AsyncIterable<HashedItem[]>,
  onUnequal: (id: string) => void,
  onProgress: (merged: Merged) => void,
): Promise<Merged> {
  const merged: Merged = { first: 0, second: 0, equal: 0 };
  const [left, right] = [cursorOf(first, () => onProgress(merged)), cursorOf(second, () => undefined)];
  try {
    let [a, b] = await Promise.all([left.next(), right.next()]);
    while (a || b) {
      const order = a && b ? compare(a, b) : a ? -1 : 1;
      if (order !== 0) onUnequal((order < 0 ? a : b)?.id as string);
      else if (a?.hash === b?.hash) merged.equal++;
      else onUnequal(a?.id as string);
      if (order <= 0) merged.first++;
      if (order >= 0) merged.second++;
      // The code awaits only if necessary. The value is almost always available, and a million awaited
      // promises would take half of the total time.
      const [nextA, nextB]: [Step, Step] = [order <= 0 ? left.next() : a, order >= 0 ? right.next() : b];
      a = nextA instanceof Promise ? await nextA : nextA;
      b = nextB instanceof Promise ? await nextB : nextB;
    }
    return merged;
  } finally {
    await Promise.all([left.end(), right.end()]);
  }
}

type Step = HashedItem | undefined | Promise<HashedItem | undefined>;

/**
 * Compares by publication time (descending), then by the UTF-8 bytes of the id (ascending), as Elasticsearch
 * sorts keywords.
 */
function compare(a: HashedItem, b: HashedItem): number {
  if (a.published !== b.published) return b.published - a.published;
  return a.id === b.id ? 0 : Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}

/** Iterates over the items. Reads the next page while the caller processes the current page. */
function cursorOf(
  pages: AsyncIterable<HashedItem[]>,
  onPage: () => void,
): { next(): Step; end(): Promise<unknown> } {
  const iterator = pages[Symbol.asyncIterator]();
  const read = () => {
    const page = iterator.next();
    page.catch(() => undefined);
    return page;
  };
  let coming = read();
  let page: HashedItem[] = [];
  let at = 0;
  const turn = async (): Promise<HashedItem | undefined> => {
    for (;;) {
      const { value, done } = await coming;
      if (done) return undefined;
      coming = read();
      onPage();
      page = value;
      at = 1;
      if (page.length > 0) return page[0];
    }
  };
  return { next: () => (at < page.length ? page[at++] : turn()), end: async () => iterator.return?.() };
}

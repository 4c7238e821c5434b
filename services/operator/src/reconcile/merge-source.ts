import { compareIds } from './files/compare-ids.ts';
import type { HeldListing } from './held-listings.ts';
import type { SourceLine } from './source/source-line.ts';

/** Receives what the merge finds, in ascending byte order of id. */
export interface MergeVisitor {
  /** @param held undefined if the generation holds nothing for the line's listing */
  line(line: SourceLine, held: HeldListing | undefined): void;
  /** Receives a listing that no line names. */
  unnamed(held: HeldListing): void;
  /**
   * Runs after each batch of lines and before each page of listings, because one batch may pass any number of
   * listings. The merge continues when the promise resolves.
   */
  batch(): Promise<void>;
}

/**
 * Merges the source with the listings of the live generation. Both are in ascending byte order of id, so
 * memory does not grow with their number.
 * @returns the number of lines
 */
export async function mergeSource(
  lines: AsyncIterable<readonly SourceLine[]>,
  listings: AsyncIterable<readonly HeldListing[]>,
  visitor: MergeVisitor,
): Promise<number> {
  const pages = listings[Symbol.asyncIterator]();
  let page: readonly HeldListing[] = [];
  let at = 0;
  const fill = async (): Promise<boolean> => {
    while (at === page.length) {
      await visitor.batch();
      const { done, value } = await pages.next();
      if (done) return false;
      page = value;
      at = 0;
    }
    return true;
  };
  let read = 0;
  let open = await fill();
  try {
    for await (const batch of lines) {
      for (const line of batch) {
        let order = -1;
        while (open) {
          order = compareIds((page[at] as HeldListing).id, line.id);
          if (order >= 0) break;
          visitor.unnamed(page[at++] as HeldListing);
          if (at === page.length) open = await fill();
        }
        const isHeld = open && order === 0;
        visitor.line(line, isHeld ? page[at++] : undefined);
        if (isHeld && at === page.length) open = await fill();
      }
      read += batch.length;
      await visitor.batch();
    }
    while (open) {
      visitor.unnamed(page[at++] as HeldListing);
      if (at === page.length) open = await fill();
    }
  } finally {
    await pages.return?.();
  }
  return read;
}

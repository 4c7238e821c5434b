import type { Client } from '@elastic/elasticsearch';
import { type StatePage, scanShard } from '@vitrine/projection/store';
import type { Log } from '@vitrine/runtime/log';
import { retryAndLog } from './retry-and-log.ts';
import type { ClaimedSlice, SharedScan } from './shared-scan.ts';

interface SlicePage extends StatePage {
  slice: OpenSlice;
}

/** A slice while its pages are read and written. */
interface OpenSlice extends ClaimedSlice {
  pages: AsyncGenerator<StatePage>;
  /** The pages that were taken but are not finished. */
  underWay: Set<SlicePage>;
  /** The last sequence number that was read. */
  read: number;
  isRead: boolean;
}

export interface SlicePagesOptions {
  client: Client;
  source: string;
  scan: SharedScan;
  log: Log;
  signal: AbortSignal;
}

/** The pages of the slices that this builder claims. It claims the next slice while pages are written. */
export class SlicePages {
  readonly #options: SlicePagesOptions;
  #open: OpenSlice | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(options: SlicePagesOptions) {
    this.#options = options;
  }

  /**
   * Reads one page at a time, although several workers request pages.
   * @returns undefined when all slices of all builders are done
   */
  take(): Promise<SlicePage | undefined> {
    const page = this.#reading.then(() => this.#next());
    this.#reading = page.catch(() => undefined);
    return page;
  }

  /** Notes that a page has been written and, after the last page of a slice, that the slice is done. */
  finish(page: SlicePage): void {
    const { slice } = page;
    slice.underWay.delete(page);
    slice.states += page.states.length;
    slice.after = Math.min(slice.read, ...[...slice.underWay].map(({ after }) => after));
    this.#options.scan.progressed(slice.index, slice);
    this.#finishSlice(slice);
  }

  async #next(): Promise<SlicePage | undefined> {
    const { scan, signal } = this.#options;
    for (;;) {
      if (!this.#open) {
        const claimed = await scan.next(signal);
        if (!claimed) return undefined;
        const { after } = claimed;
        this.#open = {
          ...claimed,
          pages: this.#scan(claimed),
          underWay: new Set(),
          read: after,
          isRead: false,
        };
      }
      const slice = this.#open;
      const { value, done } = await this.#nextOf(slice);
      if (!done && value) {
        const page = { ...value, slice };
        slice.read = value.last;
        slice.underWay.add(page);
        return page;
      }
      slice.isRead = true;
      this.#open = undefined;
      this.#finishSlice(slice);
    }
  }

  /** The next page. After an error, the scan continues after the last page that was returned. */
  #nextOf(slice: OpenSlice): Promise<IteratorResult<StatePage, unknown>> {
    const { log, signal } = this.#options;
    return retryAndLog(
      async () => {
        try {
          return await slice.pages.next();
        } catch (error) {
          slice.pages = this.#scan({ ...slice, after: slice.read });
          throw error;
        }
      },
      log,
      signal,
    );
  }

  #scan({ shard, after, last }: ClaimedSlice): AsyncGenerator<StatePage> {
    const { client, source, signal } = this.#options;
    return scanShard(client, source, { shard, after, ...(last !== undefined && { last }) }, signal);
  }

  #finishSlice({ index, isRead, underWay }: OpenSlice): void {
    if (isRead && underWay.size === 0) this.#options.scan.finish(index);
  }
}

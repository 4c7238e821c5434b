import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { CompleteItem } from '../../stored/complete-item.ts';
import type { ExportSlice } from '../../stored/complete-items.ts';
import { PageTooLarge } from '../page-too-large.ts';
import { FeedUnavailable } from '../search-failure.ts';
import { Overloaded } from '../search-limiter.ts';
import type { ItemsClient } from './items-client.ts';

const SLICE_ITEMS = 500;
/** How long an export uses one point in time, in milliseconds. It is shorter than the keep-alive. */
const POINT_IN_TIME_MS = 5_000;
/** An export survives a short outage of Elasticsearch. */
const MAX_ATTEMPTS = 5;
const RETRY_DELAY_MS = 500;

/**
 * Reads all items of the feed, ascending by id. Each slice is read while the caller uses the previous one, so
 * at most two slices are in memory. A slow caller holds no point in time: after 5 s, the next slice opens a
 * new one. The items may therefore be of different times. The number at which the client continues is older
 * than all these times, so the changes complete the export (docs/decisions/0064-export.md).
 * @param after id after which the export begins
 * @throws FeedUnavailable, Overloaded; also if `signal` aborts
 */
export async function* exportItems(
  client: ItemsClient,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<CompleteItem[]> {
  const reader = new SliceReader(client, signal);
  let next: Promise<ExportSlice> | undefined = reader.read(after);
  try {
    while (next) {
      const { lastId, readItems }: ExportSlice = await next;
      if (lastId === undefined) return;
      next = reader.read(lastId);
      // The next turn receives the error.
      next.catch(() => undefined);
      // Elasticsearch receives the next search before this thread reads the items.
      await turn();
      yield readItems();
    }
  } finally {
    await next?.catch(() => undefined);
    await reader.close();
  }
}

/** Reads the slices of one export, one at a time. */
class SliceReader {
  readonly #client: ItemsClient;
  readonly #signal: AbortSignal;
  #size = SLICE_ITEMS;
  #opened: { id: string; at: number } | undefined;

  constructor(client: ItemsClient, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Reads the slice after an id. Empty at the end of the feed. */
  async read(after: string | undefined): Promise<ExportSlice> {
    for (let attempt = 1; ; ) {
      try {
        return await this.#client.slice(await this.#pointInTime(), after, this.#size, this.#signal);
      } catch (error) {
        if (error instanceof PageTooLarge && this.#size > 1) {
          this.#size = Math.ceil(this.#size / 2);
          continue;
        }
        const isTransient = error instanceof FeedUnavailable || error instanceof Overloaded;
        if (!isTransient || this.#signal.aborted || attempt++ >= MAX_ATTEMPTS) throw error;
        await this.close();
        await delay(RETRY_DELAY_MS);
      }
    }
  }

  /** Closes the point in time. A later read opens another one. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    // If the request fails, the point in time ends with its keep-alive.
    if (opened) await this.#client.close(opened.id).catch(() => undefined);
  }

  async #pointInTime(): Promise<string> {
    if (this.#opened && performance.now() - this.#opened.at > POINT_IN_TIME_MS) await this.close();
    this.#opened ??= { id: await this.#client.open(), at: performance.now() };
    return this.#opened.id;
  }
}

import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { RequestBudget } from '../../budget/request-budget.ts';
import type { CompleteItem } from '../../stored/complete-item.ts';
import type { ExportSlice } from '../../stored/complete-items.ts';
import { expectResponse } from '../checked-response.ts';
import { FeedUnavailable, PageTooLarge } from '../search-failure.ts';
import { Overloaded } from '../search-limiter.ts';
import type { ItemsClient } from './items-client.ts';

const SLICE_ITEMS = 500;
/** One request for ids finds the bounds of this number of slices. */
const BOUNDS = 10;
/** How long an export uses one point in time, in milliseconds. This time is shorter than the keep-alive. */
const POINT_IN_TIME_MS = 5_000;
/** An export survives a short outage of Elasticsearch. */
const MAX_ATTEMPTS = 5;
const RETRY_DELAY_MS = 500;

/**
 * Reads all items in the feed, ascending by id. Each slice is read while the caller uses the previous one, so
 * at most two slices are in memory. A slow caller holds no point in time. If the current one is older than
 * 5 s, the next slice opens a new one. The items may therefore come from different times. The change number
 * at which the client continues is older than all these times, so the changes complete the export
 * (docs/decisions/0064-export.md).
 * @param after the id after which the export begins
 * @param newBudget creates the budget of a slice, which holds its memory until the caller takes the next
 * slice
 * @throws FeedUnavailable, Overloaded; also if `signal` aborts
 */
export async function* exportItems(
  client: ItemsClient,
  after: string | undefined,
  signal: AbortSignal,
  newBudget: () => RequestBudget,
): AsyncGenerator<CompleteItem[]> {
  const reader = new SliceReader(client, signal, newBudget);
  let next: Promise<HeldSlice> | undefined = reader.read(after);
  try {
    while (next) {
      const { upTo, lastId, readItems, budget }: HeldSlice = await next;
      if (upTo === undefined) return;
      next = reader.read(upTo);
      // The next turn receives the error.
      next.catch(() => undefined);
      try {
        // Elasticsearch receives the next search before this thread reads the items.
        await turn();
        // All items between two bounds may have been removed. If only such slices follow an id, the export
        // must end before its response begins, because only then does the response prove the end.
        if (lastId !== undefined) yield readItems();
      } finally {
        budget.close();
      }
    }
  } finally {
    await next?.then(
      ({ budget }) => budget.close(),
      () => undefined,
    );
    await reader.close();
  }
}

/** A slice, and the budget that holds its memory. */
interface HeldSlice extends Pick<ExportSlice, 'lastId' | 'readItems'> {
  /** The id after which the next slice begins. It is undefined at the end of the feed. */
  upTo: string | undefined;
  budget: RequestBudget;
}

/** Reads the slices of one export, one at a time. */
class SliceReader {
  readonly #client: ItemsClient;
  readonly #signal: AbortSignal;
  readonly #newBudget: () => RequestBudget;
  #size = SLICE_ITEMS;
  /** The ids at which the next slices end, ascending. Two neighbors are about one slice of items apart. */
  #bounds: string[] = [];
  #opened: { id: string; at: number } | undefined;

  constructor(client: ItemsClient, signal: AbortSignal, newBudget: () => RequestBudget) {
    this.#client = client;
    this.#signal = signal;
    this.#newBudget = newBudget;
  }

  /** Reads the slice after an id. The slice may have fewer items than `#size`, or none. */
  async read(after: string | undefined): Promise<HeldSlice> {
    const budget = this.#newBudget();
    try {
      return { ...(await this.#readWithin(budget, after)), budget };
    } catch (error) {
      budget.close();
      throw error;
    }
  }

  async #readWithin(budget: RequestBudget, after: string | undefined): Promise<Omit<HeldSlice, 'budget'>> {
    // One enumeration suffices for all attempts, even if it finds no id.
    let ids: { after: string | undefined; upTo: string | undefined } | undefined;
    for (let attempt = 1; ; ) {
      try {
        ids ??= { after, upTo: await this.#boundAfter(budget, after) };
        const pointInTime = await this.#pointInTime();
        const { lastId, readItems } = await this.#client.slice(
          pointInTime,
          ids,
          this.#size,
          this.#signal,
          budget,
        );
        const upTo = lastId ?? ids.upTo;
        // A proxy could repeat an older response. All ids are ASCII, so comparing strings gives their order.
        const isInRange = upTo === undefined || (upTo > (after ?? '') && upTo <= (ids.upTo ?? upTo));
        expectResponse(isInRange, 'a search', 'items between the ids of the slice');
        return { upTo, lastId, readItems };
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

  /**
   * Returns the id at which the slice after an id ends, or undefined if Elasticsearch enumerates no later id.
   * Without a bound, the search for a slice would visit all items after the id, and an export would take
   * quadratic time (docs/decisions/0136-bounds-of-export-slices.md).
   */
  async #boundAfter(budget: RequestBudget, after = ''): Promise<string | undefined> {
    while (this.#bounds[0] !== undefined && this.#bounds[0] <= after) this.#bounds.shift();
    if (this.#bounds.length === 0) {
      const found = await this.#client.idsAfter(after, BOUNDS * SLICE_ITEMS, this.#signal, budget);
      // A proxy could repeat an older response. A slice must never end before it begins.
      const ids = found.filter((id) => id > after);
      this.#bounds = ids.filter((_, i) => (i + 1) % SLICE_ITEMS === 0 || i === ids.length - 1);
    }
    return this.#bounds[0];
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

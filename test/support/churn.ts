import { setTimeout as sleep } from 'node:timers/promises';
import type { ItemDocument } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { expect } from 'chai';
import type { Deployment } from './deployment.ts';
import { modelOf } from './expected-contents.ts';
import type { FeedPage } from './feed-clients.ts';

export interface ChurnOptions {
  listings: number;
  changesPerSecond: number;
  /** Milliseconds that a reader pauses between two pages. */
  readEveryMs?: number;
}

export const PAGE_SIZE = 100;
/** One in RESTLESS listings changes, disappears and returns continuously. */
const RESTLESS = 4;
const PUBLISHED_AT_ONCE = 5_000;

/**
 * A market with continuous changes, and readers that compare every page with the listings that never change.
 */
export function startChurn({ listings, changesPerSecond, readEveryMs = 0 }: ChurnOptions) {
  const market = new MarketEvents();
  const running = new AbortController();
  const background: Promise<void>[] = [];
  const read = { pages: 0, crawls: 0 };
  /** The complete listings that never change, newest first. Every seventh listing lacks a price at first. */
  const steady = Array.from({ length: listings }, (_, listing) => listing)
    .filter((listing) => listing % RESTLESS > 0 && listing % 7 > 0)
    .map((listing) => MarketEvents.idOf(listing))
    .toReversed();
  const isSteady = new Set(steady);
  let isHeld = false;
  let publishing: Promise<void> = Promise.resolve();

  /** Publishes changes, removals and returning listings until the end. Every event is part of the model. */
  const change = async (deployment: Deployment) => {
    for (let turn = 0; !running.signal.aborted; turn++) {
      while (isHeld && !running.signal.aborted) await sleep(20);
      const events = Array.from({ length: changesPerSecond / 10 }, (_, i) => {
        const listing = (RESTLESS * (turn * 37 + i * 1_009)) % listings;
        if ((turn + i) % 5 === 0) return market.removed(listing);
        return (turn + i) % 5 === 1
          ? market.snapshot(listing)
          : market.changed(listing, { title: `Casa ${listing}, turno ${turn}`, price: 50 + (turn % 400) });
      });
      publishing = deployment.publish(events);
      await publishing;
      await sleep(100);
    }
  };

  /**
   * Reads random numbered pages. Each page must be full, in order and without duplicates. The total must not
   * be below the number of listings that never change.
   */
  const readPages = async (page: (target: string) => Promise<FeedPage>) => {
    for (let turn = 0; !running.signal.aborted; turn++) {
      const number = 1 + ((turn * 7_919) % Math.floor(steady.length / PAGE_SIZE));
      const { data, meta } = await page(`/public-feed?pageSize=${PAGE_SIZE}&page=${number}`);
      expect(meta.total, `total of page ${number}`).to.be.within(steady.length, listings);
      const order = data.map(({ id }) => String(id));
      expect(order, `page ${number}`).to.have.length(PAGE_SIZE);
      expect(order, `page ${number}`).to.deep.equal([...new Set(order)].sort().reverse());
      read.pages++;
      await sleep(readEveryMs);
    }
  };

  /**
   * Reads the whole feed by cursor repeatedly. A crawl must contain all listings that never change, in order
   * and without duplicates.
   */
  const readByCursor = async (page: (target: string) => Promise<FeedPage>) => {
    for (;;) {
      const found: string[] = [];
      for (let cursor: string | undefined = '*'; cursor; ) {
        const { data, meta }: FeedPage = await page(
          `/public-feed?${new URLSearchParams({ pageSize: String(PAGE_SIZE), cursor })}`,
        );
        found.push(...data.map(({ id }) => String(id)).filter((id) => isSteady.has(id)));
        cursor = meta.nextCursor;
        if (running.signal.aborted) return;
        await sleep(readEveryMs);
      }
      expect(found.length, 'unchanging items of a crawl').to.equal(steady.length);
      expect(
        found.findIndex((id, i) => id !== steady[i]),
        'first wrong item of a crawl',
      ).to.equal(-1);
      read.crawls++;
    }
  };

  return {
    /** The number of pages and crawls so far. */
    read,
    /** The ids of the listings that never change, newest first. */
    steady,
    /** The fold of all events so far, according to the oracle. */
    model: () => modelOf(market.sent),
    /** Runs `work` while no event is published. Readers continue. */
    async withoutChanges(work: () => Promise<void>): Promise<void> {
      isHeld = true;
      try {
        await publishing;
        await work();
      } finally {
        isHeld = false;
      }
    },
    /** Number of events after the first snapshots. */
    changes: () => market.sent.length - listings,
    /** Publishes the first snapshot of every listing. */
    async publish(deployment: Deployment): Promise<void> {
      for (let from = 0; from < listings; from += PUBLISHED_AT_ONCE) {
        const count = Math.min(PUBLISHED_AT_ONCE, listings - from);
        await deployment.publish(Array.from({ length: count }, (_, i) => market.snapshot(from + i)));
      }
    },
    /**
     * Runs changes and readers while `operator` works. If the changes or a reader fails, the function fails
     * immediately.
     */
    async during(
      deployment: Deployment,
      page: (target: string) => Promise<FeedPage>,
      operator: () => Promise<void>,
    ): Promise<void> {
      const failed = Promise.withResolvers<never>();
      background.push(change(deployment), readPages(page), readByCursor(page));
      for (const work of background) work.catch(failed.reject);
      await Promise.race([operator(), failed.promise]);
    },
    /** Stops changes and readers. A test must call this function even after a failure. */
    async stop(): Promise<void> {
      running.abort();
      await Promise.allSettled(background);
    },
    /**
     * Stops changes and readers, and compares these generations with the fold of all events.
     * @param compared the part of an item document that is compared
     * @returns the number of items
     */
    async expectModel(
      deployment: Deployment,
      generations: readonly number[],
      compared: (item: ItemDocument) => object = (item) => item,
    ): Promise<number> {
      running.abort();
      await Promise.all(background);
      const { items } = modelOf(market.sent);
      for (const generation of generations) {
        await deployment.caughtUp(undefined, generation);
        const stored = await deployment.items(generation);
        expect(stored.size, `generation ${generation}`).to.equal(items.size);
        // The test compares item by item, because chai would take minutes to format a difference of whole
        // maps.
        for (const [id, item] of stored) {
          const [actual, expected] = [item, items.get(id)].map((one) => one && compared(one));
          if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual, id).to.deep.equal(expected);
        }
      }
      return items.size;
    },
  };
}

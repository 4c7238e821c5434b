import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Deployment } from './deployment.ts';
import type { FeedPage } from './feed-crawl.ts';
import { MarketEvents } from './market-events.ts';
import { modelOf } from './model.ts';

export interface LivingMarketOptions {
  listings: number;
  changesASecond: number;
  /** So long a reader waits between two pages. */
  readEveryMs?: number;
}

export const PAGE_SIZE = 100;
/** Of so many listings one changes, goes and comes back all the while. */
const RESTLESS = 4;
const PUBLISHED_AT_ONCE = 5_000;

/** A market in which something always changes, and readers that hold every page against what never does. */
export function livingMarket({ listings, changesASecond, readEveryMs = 0 }: LivingMarketOptions) {
  const market = new MarketEvents();
  const running = new AbortController();
  const background: Promise<void>[] = [];
  const read = { pages: 0, crawls: 0 };
  /** Complete and never changed, newest first: every seventh lacks a price until somebody sets one. */
  const steady = Array.from({ length: listings }, (_, listing) => listing)
    .filter((listing) => listing % RESTLESS > 0 && listing % 7 > 0)
    .map((listing) => MarketEvents.idOf(listing))
    .toReversed();
  const isSteady = new Set(steady);

  /** Changes, removals and listings that come back, until the end; every event is one of the model's. */
  const change = async (deployment: Deployment) => {
    for (let turn = 0; !running.signal.aborted; turn++) {
      const events = Array.from({ length: changesASecond / 10 }, (_, i) => {
        const listing = (RESTLESS * (turn * 37 + i * 1_009)) % listings;
        if ((turn + i) % 5 === 0) return market.removed(listing);
        return (turn + i) % 5 === 1
          ? market.snapshot(listing)
          : market.changed(listing, { title: `Casa ${listing}, turno ${turn}`, price: 50 + (turn % 400) });
      });
      await deployment.publish(events);
      await sleep(100);
    }
  };

  /** Page after page by number, anywhere: full, each item once and in order, never fewer than what never changes. */
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

  /** The whole feed by cursor, again and again: nothing that never changed is missed or comes twice, in order. */
  const readByCursor = async (page: (target: string) => Promise<FeedPage>) => {
    for (;;) {
      const found: string[] = [];
      for (let cursor: string | undefined = '*'; cursor; ) {
        const { data, meta }: FeedPage = await page(`/public-feed?${new URLSearchParams({ pageSize: String(PAGE_SIZE), cursor })}`);
        found.push(...data.map(({ id }) => String(id)).filter((id) => isSteady.has(id)));
        cursor = meta.nextCursor;
        if (running.signal.aborted) return;
        await sleep(readEveryMs);
      }
      expect(found.length, 'steady items of a crawl').to.equal(steady.length);
      expect(
        found.findIndex((id, i) => id !== steady[i]),
        'first wrong item of a crawl',
      ).to.equal(-1);
      read.crawls++;
    }
  };

  return {
    /** What was read so far. */
    read,
    /** Events beside the first snapshots. */
    changes: () => market.sent.length - listings,
    /** Every listing's first snapshot. */
    async publish(deployment: Deployment): Promise<void> {
      for (let from = 0; from < listings; from += PUBLISHED_AT_ONCE) {
        const count = Math.min(PUBLISHED_AT_ONCE, listings - from);
        await deployment.publish(Array.from({ length: count }, (_, i) => market.snapshot(from + i)));
      }
    },
    /** Changes and readers, while `operator` is at work: one of them that fails ends it at once. */
    async during(deployment: Deployment, page: (target: string) => Promise<FeedPage>, operator: () => Promise<void>): Promise<void> {
      const failed = Promise.withResolvers<never>();
      background.push(change(deployment), readPages(page), readByCursor(page));
      for (const work of background) work.catch(failed.reject);
      await Promise.race([operator(), failed.promise]);
    },
    /** Ends what goes on; for the end of a test that failed, too. */
    async stop(): Promise<void> {
      running.abort();
      await Promise.allSettled(background);
    },
    /**
     * Ends what goes on, and holds these generations against the fold of all that was sent.
     * @returns how many items there are
     */
    async expectModel(deployment: Deployment, generations: readonly number[]): Promise<number> {
      running.abort();
      await Promise.all(background);
      const { items } = modelOf(market.sent);
      for (const generation of generations) {
        await deployment.caughtUp(120_000, generation);
        const held = await deployment.items(generation);
        expect(held.size, `generation ${generation}`).to.equal(items.size);
        // One by one: a deep comparison of everything at once would take minutes to say what differs.
        for (const [id, item] of held) if (JSON.stringify(item) !== JSON.stringify(items.get(id))) expect(item, id).to.deep.equal(items.get(id));
      }
      return items.size;
    },
  };
}

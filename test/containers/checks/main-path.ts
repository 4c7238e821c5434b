import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../../support/service-process.ts';
import { connectProducer, crawl, expectedFeed, publish, readPage } from '../support/market.ts';
import type { System } from '../support/system.ts';

const COMPLETE_WITHIN_MS = 5 * 60_000;

/** Records that a producer on this machine publishes reach the feed. Must be the first check of a system. */
export function describeMainPath(system: () => System): void {
  const feed = expectedFeed();

  describe('the main path', () => {
    it(`turns ${feed.name} into exactly the expected feed of ${feed.items.length} items`, async () => {
      const producer = await connectProducer(system().broker);
      try {
        await publish(producer, feed.records);
      } finally {
        await producer.disconnect();
      }
      const base = system().feedUrl;
      const isComplete = async () =>
        (await readPage(`${base}/ai-feed?pageSize=1`))?.meta.total === feed.items.length &&
        isDeepStrictEqual(await crawl(base), feed.items);
      // The comparison below shows the difference.
      await eventually('the feed is complete', isComplete, COMPLETE_WITHIN_MS, 1_000).catch(() => {});
      expect(await crawl(base)).to.deep.equal(feed.items);
    });
  });
}

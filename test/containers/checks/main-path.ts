import { isDeepStrictEqual } from 'node:util';
import { type EventRecord, EXPECTED, RECORDS } from '@vitrine/fixtures';
import { expect } from 'chai';
import { eventually } from '../../support/service-process.ts';
import { connectProducer, crawl, publish } from '../support/market.ts';
import type { System } from '../support/system.ts';

const COMPLETE_WITHIN_MS = 5 * 60_000;

type Items = readonly Record<string, unknown>[];

/**
 * Publishes records as a producer on this machine, and compares the feed with these items, in order.
 * @param isCompared selects the items of the feed that the comparison covers
 */
export async function expectFeed(
  system: System,
  records: readonly EventRecord[],
  items: Items,
  isCompared: (item: { id: string }) => boolean = () => true,
): Promise<void> {
  const producer = await connectProducer(system.broker);
  try {
    await publish(producer, records);
  } finally {
    await producer.disconnect();
  }
  const found = async () => (await crawl(system.feedUrl)).filter(isCompared);
  const isComplete = async () => isDeepStrictEqual(await found().catch(() => undefined), items);
  // The comparison below shows the difference.
  await eventually('the feed is complete', isComplete, COMPLETE_WITHIN_MS, 1_000).catch(() => {});
  expect(await found()).to.deep.equal(items);
}

/** Records reach the feed, even alongside other listings. */
export function describeMainPath(system: () => System): void {
  it('turns the market of the fixtures into exactly its expected items', () => {
    const ids = new Set(EXPECTED.map(({ id }) => id));
    return expectFeed(system(), RECORDS, EXPECTED, ({ id }) => ids.has(id));
  });
}

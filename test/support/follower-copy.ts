import type { Feed } from './feed-clients.ts';
import type { FollowerProgram } from './follower-program.ts';
import { eventually } from './service-process.ts';

/** A follower polls about once per second, but the machine may be busy. */
const WITHIN_MS = 120_000;
/**
 * Pages share a point in time for 5 s, so a crawl may show an older feed. Such a crawl could equal a copy
 * that has missed the last change.
 */
const EQUAL_FOR_MS = 6_000;

/** The ids of the listings that differ between a follower's copy and a crawl of the agent feed. */
async function differingFromCrawl(follower: FollowerProgram, feed: Feed): Promise<string[]> {
  const crawled = await feed.crawl('/ai-feed');
  const expected = new Map(crawled.map((item) => [item.id, JSON.stringify(item)]));
  const copy = new Map(
    [...follower.copy()].map(([id, data]) => {
      const { ad_type: _, published_at: __, ...item } = JSON.parse(data) as Record<string, unknown>;
      return [id, JSON.stringify(item)];
    }),
  );
  return [...new Set([...copy.keys(), ...expected.keys()])].filter((id) => copy.get(id) !== expected.get(id));
}

/**
 * Waits until a follower's copy stays equal to a crawl, while no events arrive.
 * @throws Error with the ids of the listings that differ
 */
export async function becomesCurrent(follower: FollowerProgram, feed: Feed): Promise<void> {
  let differing: string[] = [];
  let differedAt = performance.now();
  const isCurrent = async () => {
    if (follower.next() === undefined) return false;
    differing = await differingFromCrawl(follower, feed);
    if (differing.length > 0) differedAt = performance.now();
    return performance.now() - differedAt >= EQUAL_FOR_MS;
  };
  await eventually('the copy equals a crawl', isCurrent, WITHIN_MS).catch((cause: Error) => {
    throw new Error(`${cause.message}. Different: ${differing.join(', ')}. ${follower.log()}`, { cause });
  });
}

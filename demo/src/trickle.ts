import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, Market } from '@vitrine/fixtures';
import { abortable } from '@vitrine/runtime/abortable';
import { type FeedGlance, glanceAtFeed } from './feed-client.ts';
import type { Publisher } from './open-demo.ts';

export interface TrickleOptions {
  /** The source is undefined if the demo publishes nothing and shows only the counts. */
  source: { market: Market; publisher: Publisher } | undefined;
  feedsUrl: string;
  show(status: string): void;
  signal: AbortSignal;
}

const EVERY_MS = 1_000;

/**
 * Publishes one change and shows one line of counts per second. Rejects with the signal's reason when it
 * aborts.
 */
export async function runTrickle({ source, feedsUrl, show, signal }: TrickleOptions): Promise<never> {
  let pending: Change | undefined;
  let lastChange = '';
  let feed: FeedGlance | undefined;
  for (;;) {
    const next = sleep(EVERY_MS, undefined, { signal });
    // The code awaits the promise at the end of the round. Until then, this catch prevents an unhandled
    // rejection.
    next.catch(() => undefined);
    if (source) {
      pending ??= source.market.next(new Date());
      try {
        await abortable(source.publisher.publish(pending.events), signal);
        lastChange = pending.summary;
        pending = undefined;
      } catch (error) {
        signal.throwIfAborted();
        lastChange = `Kafka accepts no events: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
    feed = (await abortable(glanceAtFeed(feedsUrl), signal)) ?? feed;
    const demo = source && {
      published: source.publisher.published,
      complete: source.market.complete,
      hidden: source.market.hidden,
      lastChange,
    };
    show(countsLine({ ...(demo && { demo }), feed, now: Date.now() }));
    await next.catch(() => signal.throwIfAborted());
  }
}

/** The counts of a running demo. */
export interface Counts {
  /** The counts of the published changes; undefined if this process publishes nothing. */
  demo?: { published: number; complete: number; hidden: number; lastChange: string };
  /** The feed's latest counts; undefined before the first response. */
  feed: FeedGlance | undefined;
  /** Epoch milliseconds. */
  now: number;
}

/** Formats the counts as one line. Pure. */
export function countsLine({ demo, feed, now }: Counts): string {
  const age = feed && Math.max(0, now - feed.generatedAt) / 1000;
  const parts = [
    demo && `${count(demo.published)} events`,
    feed ? `feed ${count(feed.total)} items, ${age?.toFixed(1)} s old` : 'the feed does not respond',
    demo && `${count(demo.complete)} complete, ${count(demo.hidden)} hidden`,
    demo?.lastChange,
  ];
  return parts.filter((part) => part).join(' | ');
}

const count = (number: number): string => number.toLocaleString('en');

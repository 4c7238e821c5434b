import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, Market } from '@vitrine/fixtures';
import { abortable } from './abortable.ts';
import { countsLine } from './counts-line.ts';
import { type FeedGlance, glanceAtFeed } from './feed-client.ts';
import type { Publisher } from './publisher.ts';

export interface TrickleOptions {
  /** Undefined where nothing is published: then it only looks. */
  source: { market: Market; publisher: Publisher } | undefined;
  feedsUrl: string;
  show(status: string): void;
  signal: AbortSignal;
}

const EVERY_MS = 1_000;

/** A change and a line of counts a second, until the signal, with whose reason it rejects. */
export async function runTrickle({ source, feedsUrl, show, signal }: TrickleOptions): Promise<never> {
  let pending: Change | undefined;
  let lastChange = '';
  let feed: FeedGlance | undefined;
  for (;;) {
    const next = sleep(EVERY_MS, undefined, { signal });
    // Its rejection is met at the end of the round.
    next.catch(() => undefined);
    if (source) {
      pending ??= source.market.next(new Date());
      try {
        await abortable(source.publisher.publish(pending.events), signal);
        lastChange = pending.summary;
        pending = undefined;
      } catch (error) {
        signal.throwIfAborted();
        lastChange = `Kafka takes no events: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
    feed = (await abortable(glanceAtFeed(feedsUrl), signal)) ?? feed;
    const demo = source && { published: source.publisher.published, complete: source.market.complete, hidden: source.market.hidden, lastChange };
    show(countsLine({ ...(demo && { demo }), feed, now: Date.now() }));
    await next.catch(() => signal.throwIfAborted());
  }
}

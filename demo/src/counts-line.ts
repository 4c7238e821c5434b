import type { FeedGlance } from './feed-client.ts';

/** The counts of a running demo. */
export interface Counts {
  /** Undefined if this process publishes nothing. */
  demo?: { published: number; complete: number; hidden: number; lastChange: string };
  /** The latest counts of the feed; undefined before the first response. */
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

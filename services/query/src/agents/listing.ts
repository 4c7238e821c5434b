import type { Availability, FeedItem, Labels } from '@vitrine/feed-index';
import { adTypeOf, labelsOf, type StoredItem } from '../stored/stored-item.ts';

/** A listing as agents see it. */
export interface Listing {
  /** The members of the agent feed's item, without `availability`. */
  item: FeedItem;
  /** `sale`, `rent` or `service`. */
  adType?: string;
  /** Text for people of the filter values. Empty for an index of mapping version 1. */
  labels: Partial<Labels>;
  /** Every date from today on, ascending. */
  calendar: Availability[];
}

/**
 * Parses a stored item.
 * @param today YYYY-MM-DD. The calendar has no dates before it.
 * @throws SyntaxError if the stored bytes are not JSON
 */
export function listingOf(stored: StoredItem, today: string): Listing {
  const adType = adTypeOf(stored);
  const calendar =
    stored.calendar.length > 0 ? (JSON.parse(stored.calendar.toString()) as Availability[]) : [];
  return {
    item: JSON.parse(stored.feedItem.toString()) as FeedItem,
    ...(adType !== undefined && { adType }),
    labels: labelsOf(stored),
    calendar: calendar.filter(({ date }) => date >= today).sort((a, b) => (a.date < b.date ? -1 : 1)),
  };
}

import type { Availability, FeedItem, Labels } from '@vitrine/feed-index';
import { calendarWindow } from '../stored/calendar-window.ts';
import { adTypeOf, labelsOf, type StoredItem } from '../stored/stored-item.ts';

/** A listing as agents see it. */
export interface Listing {
  /** The members of the agent feed's item, without `availability`. */
  item: FeedItem;
  /** `sale`, `rent` or `service`. */
  adType?: string;
  /** The filter values as text for people. */
  labels: Partial<Labels>;
  /** In a page: the asked dates. By id: every date from today on. Ascending. */
  calendar: Availability[];
}

/**
 * Parses a stored item.
 * @param dates the first and last date of the calendar, as YYYY-MM-DD. Undefined: no dates. Parsing a whole
 *   calendar takes longer than everything else.
 * @throws SyntaxError if the stored bytes are not JSON
 */
export function listingOf(
  stored: StoredItem,
  dates: readonly [first: string, last: string] | undefined,
): Listing {
  const adType = adTypeOf(stored);
  const window = dates && stored.calendar.length > 0 ? calendarWindow(stored.calendar, ...dates) : '';
  return {
    item: JSON.parse(stored.feedItem.toString()) as FeedItem,
    ...(adType !== undefined && { adType }),
    labels: labelsOf(stored),
    calendar: JSON.parse(`[${window.toString()}]`) as Availability[],
  };
}

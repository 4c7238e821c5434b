import type { Item } from '@vitrine/feed-index';
import { calendarWindow } from './calendar-window.ts';
import { eachMember, skipValue } from './json-slices.ts';

const [FIRST_DATE, LAST_DATE] = ['0000-01-01', '9999-12-31'];
const AVAILABILITY = Buffer.from(',"availability":[');
const CLOSE_OBJECT = Buffer.from('}');

/** An item document as `/changes` and `/export` serve it. */
export interface CompleteItem {
  id: string;
  /** The `data` of an entry, as pieces of JSON. */
  data: Buffer[];
}

/** A change. Without an item, the listing is no longer in the feed. */
export interface Change {
  id: string;
  /** The change number. */
  modified: number;
  item: CompleteItem | undefined;
}

type Member = keyof Pick<Item, 'id' | 'published_at' | 'ad_type' | 'feed_item' | 'calendar'>;

/**
 * Reads the item document that begins at `start` of a response. Its data is the item of the agent feed with
 * the whole calendar, `ad_type` and `published_at` (docs/reference/rules.md#changes).
 * @returns the end of the document
 * @throws Error if the document is incomplete
 */
export function readCompleteItem(json: Buffer, start: number, found: (item: CompleteItem) => void): number {
  const members = new Map<string, Buffer>();
  const end = eachMember(json, start, (name, at) => {
    const after = skipValue(json, at);
    members.set(name, json.subarray(at, after));
    return after;
  });
  const member = (name: Member): Buffer => {
    const value = members.get(name);
    if (!value) throw new Error(`an item document has no member ${name}`);
    return value;
  };
  const calendar = members.get('calendar' satisfies Member);
  const adType = members.get('ad_type' satisfies Member);
  const publishedAt = new Date(Number(member('published_at').toString())).toISOString();
  const feedItem = member('feed_item');
  found({
    id: JSON.parse(member('id').toString()) as string,
    data: [
      feedItem.subarray(0, -1),
      AVAILABILITY,
      ...(calendar ? [calendarWindow(calendar, FIRST_DATE, LAST_DATE)] : []),
      Buffer.from(`]${adType ? `,"ad_type":${adType.toString()}` : ''},"published_at":"${publishedAt}"`),
      CLOSE_OBJECT,
    ],
  });
  return end;
}

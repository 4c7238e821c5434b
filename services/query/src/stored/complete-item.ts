import type { ChangeKind, Item } from '@vitrine/feed-index';
import { wholeCalendar } from './calendar-window.ts';
import { eachMember, skipValue } from './json-slices.ts';
import { matchesAt, type ProjectorForm, readProjectorForm } from './stored-item.ts';

const AVAILABILITY = Buffer.from(',"availability":[');

/** An item document as `/changes` and `/export` serve it. */
export interface CompleteItem {
  id: string;
  /** The `data` of an entry, as pieces of JSON. */
  data: Buffer[];
}

/** How a listing has changed. */
export interface ChangeNote {
  /** Epoch milliseconds. */
  at: number;
  /** The kind is absent if the entry does not state it, because 1.1.0 wrote the index. */
  kind?: ChangeKind;
  /** The listing's own price before its last change, in BRL. */
  previousPrice?: number;
}

/** A change to a listing. If the change has no item, the listing is no longer in the feed. */
export interface Change {
  id: string;
  modified: number;
  note: ChangeNote;
  item: CompleteItem | undefined;
}

type Member = keyof Pick<Item, 'id' | 'published_at' | 'ad_type' | 'feed_item' | 'calendar'>;

/** The members of an item document that a complete item uses, as JSON. */
type Members = Record<'id' | 'published_at' | 'feed_item', Buffer> & { ad_type?: Buffer; calendar?: Buffer };

/**
 * Reads the item document that begins at `start` in a response. The item's data is the agent feed's item with
 * the whole calendar, `ad_type` and `published_at` (docs/reference/rules.md#changes).
 * @returns the end of the document
 * @throws Error if the document is incomplete
 */
export function readCompleteItem(json: Buffer, start: number, found: (item: CompleteItem) => void): number {
  const form = readProjectorForm(json, start);
  const members = form && membersOf(json, form);
  if (!members) return readInAnyOrder(json, start, found);
  found(itemOf(members));
  return form.end;
}

const [BEFORE_ID, BEFORE_PUBLISHED_AT, BEFORE_AD_TYPE] = ['{"id":', ',"published_at":', ',"ad_type":'].map(
  (text) => Buffer.from(text),
) as [Buffer, Buffer, Buffer];

/** The fast path. @returns undefined unless `published_at` and then `ad_type`, if any, follow the id */
function membersOf(json: Buffer, form: ProjectorForm): Members | undefined {
  const { idEnd, othersEnd, feedItem, calendar } = form;
  if (!matchesAt(json, idEnd, BEFORE_PUBLISHED_AT)) return undefined;
  const publishedAt = idEnd + BEFORE_PUBLISHED_AT.length;
  const publishedAtEnd = skipValue(json, publishedAt);
  const members: Members = {
    id: feedItem.subarray(BEFORE_ID.length, skipValue(feedItem, BEFORE_ID.length)),
    published_at: json.subarray(publishedAt, publishedAtEnd),
    feed_item: feedItem,
    calendar,
  };
  if (matchesAt(json, publishedAtEnd, BEFORE_AD_TYPE)) {
    const adType = publishedAtEnd + BEFORE_AD_TYPE.length;
    members.ad_type = json.subarray(adType, skipValue(json, adType));
  } else if (json.subarray(publishedAtEnd, othersEnd).includes(BEFORE_AD_TYPE)) return undefined;
  return members;
}

function readInAnyOrder(json: Buffer, start: number, found: (item: CompleteItem) => void): number {
  const members: Partial<Record<string, Buffer>> & Partial<Members> = {};
  const end = eachMember(json, start, (name, at) => {
    const after = skipValue(json, at);
    members[name] = json.subarray(at, after);
    return after;
  });
  for (const name of ['id', 'published_at', 'feed_item'] as const satisfies Member[])
    if (!members[name]) throw new Error(`an item document has no member ${name}`);
  found(itemOf(members as Members));
  return end;
}

function itemOf({ id, published_at, ad_type, feed_item, calendar }: Members): CompleteItem {
  const publishedAt = new Date(Number(published_at.toString())).toISOString();
  return {
    id: JSON.parse(id.toString()) as string,
    data: [
      feed_item.subarray(0, -1),
      AVAILABILITY,
      ...(calendar ? [wholeCalendar(calendar)] : []),
      Buffer.from(`]${ad_type ? `,"ad_type":${ad_type.toString()}` : ''},"published_at":"${publishedAt}"}`),
    ],
  };
}

import type { Item, Labels } from '@vitrine/feed-index';
import { eachMember, skipValue } from './json-slices.ts';

/** The parts of an item document that the service serves, as JSON bytes from the index. */
export interface StoredItem {
  /** The beginning of the document, which contains at least `ad_type` if the item has one. */
  head: Buffer;
  feedItem: Buffer;
  /** The calendar. It is empty if the search did not request it. */
  calendar: Buffer;
}

type Member = keyof Pick<Item, 'id' | 'feed_item' | 'calendar'>;
const [ID, FEED_ITEM, CALENDAR]: [Member, Member, Member] = ['id', 'feed_item', 'calendar'];
const [BEGIN, BEFORE_FEED_ITEM, BEFORE_CALENDAR] = [`{"${ID}":`, `,"${FEED_ITEM}":`, `,"${CALENDAR}":`].map(
  (text) => Buffer.from(text),
) as [Buffer, Buffer, Buffer];
const [CLOSE_ARRAY, CLOSE_OBJECT] = [0x5d, 0x7d];
const NOTHING = Buffer.alloc(0);

/**
 * Reads the item document that begins at `start` in a search response.
 * @returns the end of the document
 * @throws Error if the document has no `feed_item`
 */
export function readStoredItem(json: Buffer, start: number, found: (item: StoredItem) => void): number {
  const form = readProjectorForm(json, start) ?? readSelectedForm(json, start);
  if (!form) return readInAnyOrder(json, start, found);
  found(form);
  return form.end;
}

const ONLY_FEED_ITEM = Buffer.from(`{"${FEED_ITEM}":{`);

/**
 * The fast path for a document of which the search selected only `feed_item`.
 * @returns undefined if the document has another form
 */
function readSelectedForm(json: Buffer, start: number): (StoredItem & { end: number }) | undefined {
  if (!matchesAt(json, start, ONLY_FEED_ITEM)) return undefined;
  const feedItem = start + ONLY_FEED_ITEM.length - 1;
  const feedItemEnd = skipValue(json, feedItem);
  if (json[feedItemEnd] !== CLOSE_OBJECT) return undefined;
  const end = feedItemEnd + 1;
  return {
    head: json.subarray(start, feedItem),
    feedItem: json.subarray(feedItem, feedItemEnd),
    calendar: NOTHING,
    end,
  };
}

/** An item document in the form that the projector writes: `id`, other members, `feed_item`, `calendar`. */
export interface ProjectorForm extends StoredItem {
  /** The offset after the id, where the other members begin. */
  idEnd: number;
  /** The offset at which the other members end. */
  othersEnd: number;
  /** The offset after the document. */
  end: number;
}

/**
 * The fast path for a document in the form that the projector writes. A native search skips the members
 * before the served ones. The skipped members are a third of the bytes.
 *
 * No content can mislead this function. An unescaped quote always begins or ends a string, so `,"feed_item":`
 * with both quotes is a member name. The function checks that the item has the id of this document, so the
 * member does not belong to another document. The item itself can contain any text, so the function scans it
 * byte by byte.
 * @returns undefined if the document has another form
 */
export function readProjectorForm(json: Buffer, start: number): ProjectorForm | undefined {
  if (!matchesAt(json, start, BEGIN)) return undefined;
  const idEnd = skipValue(json, start + BEGIN.length);
  const name = json.indexOf(BEFORE_FEED_ITEM, idEnd);
  const feedItem = name + BEFORE_FEED_ITEM.length;
  if (name === -1 || json.compare(json, start, idEnd, feedItem, feedItem + idEnd - start) !== 0)
    return undefined;
  const feedItemEnd = skipValue(json, feedItem);
  if (!matchesAt(json, feedItemEnd, BEFORE_CALENDAR)) return undefined;
  const calendar = feedItemEnd + BEFORE_CALENDAR.length;
  // A calendar contains no other arrays, and no strings except dates. Therefore, the first closing bracket
  // ends the calendar.
  const calendarEnd = json.indexOf(CLOSE_ARRAY, calendar) + 1;
  if (calendarEnd === 0 || json[calendarEnd] !== CLOSE_OBJECT) return undefined;
  return {
    head: json.subarray(start, name),
    feedItem: json.subarray(feedItem, feedItemEnd),
    calendar: json.subarray(calendar, calendarEnd),
    idEnd,
    othersEnd: name,
    end: calendarEnd + 1,
  };
}

function readInAnyOrder(json: Buffer, start: number, found: (item: StoredItem) => void): number {
  const item: Partial<StoredItem> = {};
  const documentEnd = eachMember(json, start, (name, value) => {
    const end = skipValue(json, value);
    if (name === FEED_ITEM) item.feedItem = json.subarray(value, end);
    if (name === CALENDAR) item.calendar = json.subarray(value, end);
    return end;
  });
  const { feedItem, calendar = NOTHING } = item;
  if (!feedItem) throw new Error('an item document has no member feed_item');
  found({ head: json.subarray(start, documentEnd), feedItem, calendar });
  return documentEnd;
}

const AD_TYPE = Buffer.from(`"${'ad_type' satisfies keyof Item}":"`);

/**
 * Returns an item's ad type, or undefined if it has none. No content can mislead this function, because a
 * quote inside a string is always escaped.
 */
export function adTypeOf({ head }: Pick<StoredItem, 'head'>): string | undefined {
  const name = head.indexOf(AD_TYPE);
  const value = name + AD_TYPE.length;
  return name === -1 ? undefined : head.toString('utf8', value, head.indexOf('"', value));
}

const [LABELS, POINT] = (['labels', 'point'] satisfies (keyof Item)[]).map((name) =>
  Buffer.from(`,"${name}":`),
) as [Buffer, Buffer];

/** Returns the texts of the filter values, or an empty object if the document has none. */
export const labelsOf = ({ head }: Pick<StoredItem, 'head'>): Partial<Labels> =>
  memberOf<Labels>(head, LABELS) ?? {};

/** Returns an item's coordinates, or undefined if it has none. */
export const pointOf = ({ head }: Pick<StoredItem, 'head'>): Item['point'] => memberOf(head, POINT);

function memberOf<Value>(head: Buffer, name: Buffer): Value | undefined {
  const start = head.indexOf(name);
  const value = start + name.length;
  if (start === -1) return undefined;
  return JSON.parse(head.toString('utf8', value, skipValue(head, value))) as Value;
}

/** Returns whether the bytes at `at` in a JSON text are `text`. */
export function matchesAt(json: Buffer, at: number, text: Buffer): boolean {
  // The texts are short, so a loop costs less than a native call.
  for (let i = 0; i < text.length; i++) if (json[at + i] !== text[i]) return false;
  return true;
}

/** Returns the total size of the items' documents, in bytes. */
export const bytesOf = (items: readonly StoredItem[]): number =>
  items.reduce(
    (sum, { head, feedItem, calendar }) => sum + head.length + feedItem.length + calendar.length,
    0,
  );

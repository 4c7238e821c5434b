import { isDeepStrictEqual } from 'node:util';
import {
  type Availability,
  type ChangeDetails,
  type ChangeKind,
  type Item,
  stateValueOf,
} from '@vitrine/feed-index';
import type { NotedState } from './superseded.ts';

/** The members by which readers notice a change. An item and its documents have these members in common. */
export type ChangingItem = Pick<
  Item,
  'feed_item' | 'calendar' | 'published_at' | 'ad_type' | 'point' | 'city' | 'category'
>;

/**
 * Records how a listing changes in the feed. Rule: docs/reference/rules.md#changes. Pure. If the items are
 * equal, the notes do not change, so repeated events keep the notes from their first application.
 * @param noted the notes so far
 * @param before undefined while the listing is hidden
 * @param now epoch milliseconds
 */
export function noteChange(
  noted: ChangeDetails | undefined,
  before: ChangingItem | undefined,
  after: ChangingItem | undefined,
  now: number,
): ChangeDetails | undefined {
  if (!before) return after ? { times: { new: now } } : noted;
  // A hidden listing has no item that gives its place, so the note keeps the place.
  if (!after) return { times: { removed: now }, ...placeOf(before) };
  const kinds = kindsOfChange(before, after);
  // A document has more members than an item, such as the labels of filter values.
  if (kinds.length === 0 && !isDeepStrictEqual(before, after)) kinds.push('other');
  if (kinds.length === 0) return noted;
  const { removed: _, ...times } = noted?.times ?? {};
  const previous = kinds.includes('price') ? before.feed_item.price : noted?.previous_price;
  return {
    times: { ...times, ...Object.fromEntries(kinds.map((kind) => [kind, now])) },
    ...(previous !== undefined && { previous_price: previous }),
  };
}

/**
 * Returns the kinds of change from one item of a listing to the next. The result is empty if readers see no
 * difference. Pure.
 */
export function kindsOfChange(before: ChangingItem, after: ChangingItem): ChangeKind[] {
  const kinds: ChangeKind[] = [];
  if (before.feed_item.price !== after.feed_item.price) kinds.push('price');
  if (!isSameCalendar(before, after)) kinds.push('availability');
  if (!isDeepStrictEqual(otherMembers(before), otherMembers(after))) kinds.push('other');
  return kinds;
}

/**
 * A date without its own price has the listing's price. A change to the listing's price does not change the
 * calendar.
 */
function isSameCalendar(before: ChangingItem, after: ChangingItem): boolean {
  const [was, is] = [before.feed_item.price, after.feed_item.price];
  return (
    before.calendar.length === after.calendar.length &&
    before.calendar.every((old, i) => {
      const { date, available, price } = after.calendar[i] as Availability;
      const samePrice = old.price === price || (old.price === was && price === is);
      return old.date === date && old.available === available && samePrice;
    })
  );
}

function otherMembers({ feed_item, published_at, ad_type, point }: ChangingItem): unknown {
  const { price: _, ...rest } = feed_item;
  return [rest, published_at, ad_type, point];
}

/** The maximum length of a slug. No request can contain a longer one. The limit keeps entries small. */
const MAX_SLUG = 200;

/** The city and the category by which changes are filtered. */
export function placeOf({
  city,
  category,
  feed_item,
}: ChangingItem): Pick<ChangeDetails, 'city' | 'category'> {
  const state = stateValueOf(feed_item.location.state ?? '');
  const cities = city === undefined ? [] : [city, ...(state ? [`${city}-${state}`] : [])];
  const short = cities.filter(({ length }) => length <= MAX_SLUG);
  return {
    ...(short.length > 0 && { city: short }),
    ...(category !== undefined && category.length <= MAX_SLUG && { category }),
  };
}

/**
 * Returns a state whose notes contain no content from a removed listing. A rebuild copies such states, so it
 * erases the content (docs/operate/runbook.md#erase-a-listing).
 */
export function withoutPlace(state: NotedState): NotedState {
  if (state.changes?.times.removed === undefined) return state;
  const { times } = state.changes;
  return { ...state, changes: { times } };
}

import type { FeedItem } from '@vitrine/feed-index';
import { nextTurn } from '../../search/work-turns.ts';
import {
  address,
  clipped,
  filterValue,
  identifier,
  joined,
  quoted,
  type Shown,
  say,
} from '../answer-text.ts';
import { countTokens } from '../token-budget.ts';

/** The members of a listing that an answer contains. */
export type ShownItem = Partial<FeedItem> &
  Pick<FeedItem, 'id' | 'title' | 'price' | 'currency' | 'location'>;

const MAX_URL = 2_000;
/** A listing's texts and addresses can be long. Each form is shorter than the previous one. */
const FORMS: readonly ((item: FeedItem) => ShownItem)[] = [
  (item) => item,
  (item) => ({ ...item, ...(item.images && { images: item.images.slice(0, 1) }) }),
  ({ images: _, ...item }) => ({ ...item, ...shortText(item, 2_000) }),
  ({ images: _, ...item }) => ({ ...item, title: clipped(item.title, 300), ...shortText(item, 400) }),
  ({ images: _, description: __, ...item }) => ({ ...item, title: clipped(item.title, 300) }),
  (item) => ({ ...shortest(item, 300), ...(item.url.length <= MAX_URL && { url: item.url }) }),
  (item) => shortest(item, 100),
];

const shortest = ({ id, title, price, currency, location }: FeedItem, maxTitle: number): ShownItem => ({
  id,
  title: clipped(title, maxTitle),
  price,
  currency,
  location: {
    city: clipped(location.city, 100),
    ...(location.state !== undefined && { state: clipped(location.state, 50) }),
    country: location.country,
  },
});

const shortText = ({ description }: FeedItem, max: number): { description?: string } =>
  description === undefined ? {} : { description: clipped(description, max) };

/** A longer item cannot fit. Counting the tokens of a long text takes a long time. */
const MAX_CHARACTERS = 20_000;
/** The calendar also needs part of the budget. */
const ITEM_TOKENS = 2_400;

/**
 * Returns the longest form of the item that leaves room for the calendar, and whether this form leaves out
 * some of the item's content.
 * @param listings the number of listings that share the answer
 */
export async function shortened(item: FeedItem, listings: number): Promise<[ShownItem, boolean]> {
  let shown: ShownItem = item;
  for (const [i, form] of FORMS.entries()) {
    shown = form(item);
    if (JSON.stringify(shown).length > MAX_CHARACTERS / listings) {
      // Serializing 3 MB takes 10 ms. Several calls of a batch must not do so in one turn.
      await nextTurn();
      continue;
    }
    const tokens = await countTokens({ text: joined(itemText(shown), '\n'), structured: { ...shown } });
    if (tokens <= ITEM_TOKENS / listings) return [shown, i > 0];
  }
  return [shown, true];
}

/** Describes the members of a listing in lines of text. The listing's id and title come first. */
export function itemText(item: ShownItem, adType?: string): Shown[] {
  const { id, title, description, price, location, provider, rating, review_count, url, images } = item;
  const whole = (value: string) => quoted(value, value.length);
  return [
    say`${identifier(id)} ${whole(title)}`,
    say`${price} BRL${adType ? say`, ${filterValue(adType)}` : ''}, ${quoted(location.city)}${location.state ? say`, ${quoted(location.state)}` : ''}`,
    ...(item.category === undefined ? [] : [say`category: ${filterValue(item.category)}`]),
    ...(item.sub_category === undefined ? [] : [say`sub_category: ${filterValue(item.sub_category)}`]),
    ...(provider === undefined ? [] : [say`provider: ${quoted(provider.name)}`]),
    ...(rating === undefined
      ? []
      : [say`rating: ${rating}${review_count === undefined ? '' : say` (${review_count})`}`]),
    ...(description ? [say`description: ${whole(description)}`] : []),
    ...(images ? [say`images: ${joined(images.map(address), ' ')}`] : []),
    ...(url ? [address(url)] : []),
  ];
}

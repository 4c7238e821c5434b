import type { FeedItem } from '@vitrine/feed-index';
import { addDays } from '../request/calendar-dates.ts';
import { address, clipped, filterValue, identifier, joined, quoted, type Shown, say } from './answer-text.ts';
import { answerTime, todayText } from './answer-time.ts';
import { type CalendarRange, calendarRanges, stayPrice } from './calendar.ts';
import { findListing } from './find-listing.ts';
import type { ListingSource } from './listing-source.ts';
import { calendarText, type PossibleStayPrice, stayOf, stayText } from './stay.ts';
import { countTokens, type Draft, MAX_TOKENS } from './token-budget.ts';
import { BadArguments } from './tool-arguments.ts';

export interface GetListingArguments {
  id: string;
  date?: string;
  date_to?: string;
}

/** The members of a listing that an answer contains. */
type ShownItem = Partial<FeedItem> & Pick<FeedItem, 'id' | 'title' | 'price' | 'currency' | 'location'>;

const MAX_URL = 2_000;
/** Texts and addresses of a listing can be long. Each form is shorter than the form before it. */
const FORMS: readonly ((item: FeedItem) => ShownItem)[] = [
  (item) => item,
  (item) => ({ ...item, ...(item.images && { images: item.images.slice(0, 1) }) }),
  ({ images: _, ...item }) => ({ ...item, ...shortText(item, 2_000) }),
  ({ images: _, ...item }) => ({ ...item, title: clipped(item.title, 300), ...shortText(item, 400) }),
  ({ id, title, price, currency, location, url }) => ({
    id,
    title: clipped(title, 300),
    price,
    currency,
    location: { city: clipped(location.city, 100), country: location.country },
    ...(url.length <= MAX_URL && { url }),
  }),
  ({ id, title, price, currency, location }) => ({
    id,
    title: clipped(title, 100),
    price,
    currency,
    location: { city: clipped(location.city, 100), country: location.country },
  }),
];
/** A longer item cannot fit. Counting the tokens of a long text takes long. */
const MAX_CHARACTERS = 20_000;
/** The calendar needs a part of the budget too. */
const ITEM_TOKENS = 2_400;

/**
 * Returns a listing with its calendar as ranges.
 * @throws BadArguments, UnknownListing; the errors of ListingSource
 */
export async function getListing(
  source: ListingSource,
  { id, date, date_to }: GetListingArguments,
  signal: AbortSignal,
): Promise<Draft> {
  if (date === undefined && date_to !== undefined)
    throw new BadArguments([{ argument: 'date_to', detail: 'must not be given without date' }]);
  const stay = date === undefined ? undefined : stayOf(date, date_to);
  const today = source.today();
  const dates = [stay?.date ?? today, stay?.dateTo ?? addDays(today, source.horizonDays - 1)] as const;
  const { item, adType, calendar } = await findListing(source, id, dates, signal);
  const ranges = calendarRanges(calendar);
  const price = stay && stayPrice(calendar, stay);
  const [shown, isShortened] = await shortened(item);
  const render = (count: number) => {
    const { location, ...members } = shown;
    const truncated = isShortened || count < ranges.length;
    const structured = {
      ...members,
      city: location.city,
      location,
      ...(adType && { ad_type: adType }),
      calendar: ranges.slice(0, count),
      ...(stay && { date: stay.date, date_to: stay.dateTo, available: price !== undefined, ...price }),
      ...(truncated && { truncated }),
      ...answerTime(today),
    };
    return { text: textOf(shown, structured), structured };
  };
  return { budget: MAX_TOKENS, elements: ranges.length, render };
}

/** Returns the longest form of the item that leaves room for the calendar, and whether it lacks something. */
async function shortened(item: FeedItem): Promise<[ShownItem, boolean]> {
  let shown: ShownItem = item;
  for (const [i, form] of FORMS.entries()) {
    shown = form(item);
    if (JSON.stringify(shown).length > MAX_CHARACTERS) continue;
    const tokens = await countTokens({
      text: textOf(shown, { calendar: [], today: '2026-12-30' }),
      structured: { ...shown },
    });
    if (tokens <= ITEM_TOKENS) return [shown, i > 0];
  }
  return [shown, true];
}

const shortText = ({ description }: FeedItem, max: number): { description?: string } =>
  description === undefined ? {} : { description: clipped(description, max) };

interface ShownFacts extends PossibleStayPrice {
  ad_type?: string;
  available?: boolean;
  calendar: readonly CalendarRange[];
  truncated?: boolean;
  /** YYYY-MM-DD. */
  today: string;
}

function textOf(item: ShownItem, more: ShownFacts): Shown {
  const { id, title, description, price, location, provider, rating, review_count, url, images } = item;
  const whole = (value: string) => quoted(value, value.length);
  return joined(
    [
      say`${identifier(id)} ${whole(title)}`,
      say`${price} BRL${more.ad_type ? say`, ${filterValue(more.ad_type)}` : ''}, ${quoted(location.city)}${location.state ? say`, ${quoted(location.state)}` : ''}`,
      ...(item.category === undefined ? [] : [say`category: ${filterValue(item.category)}`]),
      ...(item.sub_category === undefined ? [] : [say`sub_category: ${filterValue(item.sub_category)}`]),
      ...(provider === undefined ? [] : [say`provider: ${quoted(provider.name)}`]),
      ...(rating === undefined
        ? []
        : [say`rating: ${rating}${review_count === undefined ? '' : say` (${review_count})`}`]),
      ...(description ? [say`description: ${whole(description)}`] : []),
      ...(images ? [say`images: ${joined(images.map(address), ' ')}`] : []),
      ...(more.available !== undefined
        ? [
            say`${more.available ? 'available' : 'not available'} on the requested dates; total ${stayText(more)}`,
          ]
        : []),
      todayText(more.today),
      say`calendar: ${more.calendar.length > 0 ? calendarText(more.calendar) : 'no dates known'}`,
      ...(more.truncated ? [say`truncated: a part of this listing did not fit into this answer`] : []),
      ...(url ? [address(url)] : []),
    ],
    '\n',
  );
}

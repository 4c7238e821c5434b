import type { FeedItem } from '@vitrine/feed-index';
import { addDays } from '../request/calendar-dates.ts';
import { cell, clipped, money } from './answer-text.ts';
import { answerTime, todayText } from './answer-time.ts';
import { type CalendarRange, calendarRanges, stayPrice } from './calendar.ts';
import { findListing } from './find-listing.ts';
import type { ListingSource } from './listing-source.ts';
import { stayOf } from './stay-arguments.ts';
import { calendarText, type PossibleStayPrice, stayText } from './stay-text.ts';
import { type Answer, countTokens, fitted, MAX_TOKENS } from './token-budget.ts';
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
): Promise<Answer> {
  if (date === undefined && date_to !== undefined)
    throw new BadArguments([{ argument: 'date_to', detail: 'must not be given without date' }]);
  const stay = date === undefined ? undefined : stayOf(date, date_to);
  const today = source.today();
  const dates = [stay?.date ?? today, stay?.dateTo ?? addDays(today, source.horizonDays - 1)] as const;
  const { item, adType, calendar } = await findListing(source, id, dates, signal);
  const ranges = calendarRanges(calendar);
  const price = stay && stayPrice(calendar, stay);
  const [shown, isShortened] = await shortened(item);
  return fitted(ranges.length, MAX_TOKENS, (count) => {
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
  });
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

function textOf(item: ShownItem, more: ShownFacts): string {
  const { id, title, description, price, location, provider, rating, review_count, url, images } = item;
  return [
    `${cell(id)} ${JSON.stringify(title)}`,
    `${money(price)} BRL${more.ad_type ? `, ${more.ad_type}` : ''}, ${cell(location.city)}${location.state ? `, ${cell(location.state)}` : ''}`,
    ...Object.entries({ category: item.category, sub_category: item.sub_category, provider: provider?.name })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}: ${cell(value ?? '')}`),
    ...(rating === undefined
      ? []
      : [`rating: ${rating}${review_count === undefined ? '' : ` (${review_count})`}`]),
    ...(description ? [`description: ${JSON.stringify(description)}`] : []),
    ...(images ? [`images: ${images.join(' ')}`] : []),
    ...(more.available !== undefined
      ? [`${more.available ? 'available' : 'not available'} on the asked dates; total ${stayText(more)}`]
      : []),
    todayText(more.today),
    `calendar: ${more.calendar.length > 0 ? calendarText(more.calendar) : 'no dates known'}`,
    ...(more.truncated ? ['truncated: a part of this listing did not fit into this answer'] : []),
    ...(url ? [url] : []),
  ].join('\n');
}

import { day, identifier, joined, quoted, say } from './answer-text.ts';
import { answerTime, todayText } from './answer-time.ts';
import { type NearestStay, nearestStays, stayPrice, unavailableDates } from './calendar.ts';
import { findListing } from './find-listing.ts';
import { LAST_DATE, type ListingSource } from './listing-source.ts';
import { stayOf, stayText } from './stay.ts';
import { type Answer, type Draft, MAX_TOKENS } from './token-budget.ts';

export interface AvailabilityArguments {
  id: string;
  date: string;
  date_to?: string;
}

/**
 * Tells whether a listing is available on all requested dates, at which price, and when else.
 * @throws BadArguments, UnknownListing; the errors of ListingSource
 */
export async function checkAvailability(
  source: ListingSource,
  { id, date, date_to }: AvailabilityArguments,
  signal: AbortSignal,
): Promise<Draft> {
  const stay = stayOf(date, date_to);
  const { item, calendar } = await findListing(source, id, [source.today(), LAST_DATE], signal);
  const unavailable = unavailableDates(calendar, stay);
  const price = stayPrice(calendar, stay);
  const nearest = nearestStays(calendar, stay);
  const time = answerTime(source.today());
  const dates = stay.dateTo === stay.date ? day(stay.date) : say`${day(stay.date)} to ${day(stay.dateTo)}`;
  const nearby = (name: 'before' | 'after', other: NearestStay | undefined) =>
    other
      ? say`Nearest free dates ${name}: ${day(other.from)} to ${day(other.to)}, total ${other.total_price} BRL`
      : say`No other free dates of this length ${name}.`;
  const answer: Answer = {
    text: joined(
      [
        say`${identifier(id)} ${quoted(item.title)} is ${price ? 'available' : 'not available'} on all dates from ${dates}.`,
        price
          ? say`Total price in BRL: ${stayText(price)}`
          : say`Unavailable: ${joined(unavailable.map(day), ', ')}`,
        ...(date < time.today ? [say`Dates before today are in the past and never available.`] : []),
        nearby('before', nearest.before),
        nearby('after', nearest.after),
        todayText(time.today),
      ],
      '\n',
    ),
    structured: {
      id,
      date: stay.date,
      date_to: stay.dateTo,
      available: price !== undefined,
      unavailable_dates: unavailable,
      ...price,
      nearest,
      ...time,
      currency: 'BRL',
    },
  };
  return { budget: MAX_TOKENS, elements: 0, render: () => answer };
}

import { day, identifier, joined, quoted, type Shown, say } from '../answer-text.ts';
import {
  type ClosedDates,
  closedDates,
  type NearestStay,
  nearestStays,
  type Stay,
  type StayPrice,
  stayPrice,
} from '../calendar.ts';
import { LAST_DATE, type Listing, type ListingSource } from '../listing-source.ts';
import { stayOf, stayText } from '../stay.ts';
import type { Answer, Draft } from '../token-budget.ts';
import { calendarEndText, closedText } from './closed-dates.ts';
import { findListings } from './find-listings.ts';
import { draftOfParts } from './listing-parts.ts';

export interface AvailabilityArguments {
  id: string | readonly string[];
  date: string;
  date_to?: string;
}

/**
 * Says whether listings are available on all requested dates, at what price, and on which other dates.
 * @throws BadArguments, UnknownListing; the errors of ListingSource
 */
export async function checkAvailability(
  source: ListingSource,
  { id, date, date_to }: AvailabilityArguments,
  signal: AbortSignal,
): Promise<Draft> {
  const stay = stayOf(date, date_to);
  const today = source.today();
  const found = await findListings(source, id, [today, LAST_DATE], signal);
  const parts = found.listings.map((listing) => {
    const answer = answerOf(listing, stay, today);
    return { elements: 0, render: () => answer };
  });
  return draftOfParts(found, parts, today);
}

function answerOf({ item, calendar, calendarUntil }: Listing, stay: Stay, today: string): Answer {
  const { date, dateTo } = stay;
  const closed = closedDates(calendar, stay, today);
  const price = stayPrice(calendar, stay);
  const nearest = nearestStays(calendar, stay);
  return {
    text: joined(
      [
        say`${identifier(item.id)} ${quoted(item.title)} ${resultOf(stay, price, closed)}`,
        ...(price ? [say`Total price in BRL: ${stayText(price)}`] : closedText(closed)),
        ...(date < today ? [say`Dates before today are in the past and never available.`] : []),
        calendarEndText(calendarUntil),
        nearbyText('before', nearest.before),
        nearbyText('after', nearest.after),
      ],
      '\n',
    ),
    structured: {
      id: item.id,
      date,
      date_to: dateTo,
      available: price !== undefined,
      unavailable_dates: closed.unavailable,
      unknown_dates: closed.unknown,
      ...(calendarUntil !== undefined && { calendar_until: calendarUntil }),
      ...price,
      nearest,
      currency: 'BRL',
    },
  };
}

function resultOf({ date, dateTo }: Stay, price: StayPrice | undefined, { unavailable }: ClosedDates): Shown {
  const isOne = date === dateTo;
  const dates = isOne ? say`on ${day(date)}` : say`on every date from ${day(date)} to ${day(dateTo)}`;
  if (price) return say`is available ${dates}.`;
  if (unavailable.length === 0) return say`may be free, but it is unknown whether it is free ${dates}.`;
  if (isOne) return say`is not available ${dates}.`;
  return say`is not available from ${day(date)} to ${day(dateTo)}, because at least one date is taken or past.`;
}

const nearbyText = (name: 'before' | 'after', other: NearestStay | undefined): Shown =>
  other
    ? say`Nearest free dates ${name}: ${day(other.from)} to ${day(other.to)}, total ${other.total_price} BRL`
    : say`No known free dates of this length ${name}.`;

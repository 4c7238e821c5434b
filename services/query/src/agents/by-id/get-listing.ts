import { addDays } from '../../request/calendar-dates.ts';
import { joined, say } from '../answer-text.ts';
import { calendarRanges, closedDates, type Stay, stayPrice } from '../calendar.ts';
import type { Listing, ListingSource } from '../listing-source.ts';
import { calendarText, stayOf, stayText } from '../stay.ts';
import type { Draft } from '../token-budget.ts';
import { BadArguments } from '../tool-arguments.ts';
import { calendarEndText, closedText } from './closed-dates.ts';
import { findListings } from './find-listings.ts';
import { itemText, shortened } from './listing-forms.ts';
import { draftOfParts, type ListingPart } from './listing-parts.ts';

export interface GetListingArguments {
  id: string | readonly string[];
  date?: string;
  date_to?: string;
}

/**
 * Returns listings, each with its calendar as ranges.
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
  const found = await findListings(source, id, dates, signal);
  const parts: ListingPart[] = [];
  for (const listing of found.listings) parts.push(await partOf(listing, stay, today, found.listings.length));
  return draftOfParts(found, parts, today);
}

/** @param listings the number of listings that share the answer */
async function partOf(
  { item, adType, calendar, calendarUntil }: Listing,
  stay: Stay | undefined,
  today: string,
  listings: number,
): Promise<ListingPart> {
  const ranges = calendarRanges(calendar);
  const [shown, isShortened] = await shortened(item, listings);
  const price = stay && stayPrice(calendar, stay);
  const closed = stay && closedDates(calendar, stay, today);
  const render = (count: number) => {
    const first = ranges.slice(0, count);
    const truncated = isShortened || count < ranges.length;
    return {
      text: joined(
        [
          ...itemText(shown, adType),
          ...(price ? [say`available on the requested dates; total ${stayText(price)}`] : []),
          ...(closed && !price ? [say`not known to be free on every requested date`] : []),
          ...(closed ? closedText(closed) : []),
          say`calendar${count < ranges.length ? ' (later dates left out)' : ''}: ${first.length > 0 ? calendarText(first) : 'no dates known'}`,
          calendarEndText(calendarUntil),
          ...(truncated ? [say`truncated: a part of this listing did not fit into this answer`] : []),
        ],
        '\n',
      ),
      structured: {
        ...shown,
        city: shown.location.city,
        ...(shown.location.state !== undefined && { state: shown.location.state }),
        ...(adType && { ad_type: adType }),
        calendar: first,
        ...(calendarUntil !== undefined && { calendar_until: calendarUntil }),
        ...(stay && { date: stay.date, date_to: stay.dateTo, available: price !== undefined, ...price }),
        ...(closed && closed.unavailable.length > 0 && { unavailable_dates: closed.unavailable }),
        ...(closed && closed.unknown.length > 0 && { unknown_dates: closed.unknown }),
        ...(truncated && { truncated }),
      },
    };
  };
  return { elements: ranges.length, render };
}

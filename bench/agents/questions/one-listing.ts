import { closedDates, nearestFree } from '../oracle/one-calendar.ts';
import { CLOSED, dateAfter, daysAfter, HORIZON_DAYS, slugOf } from '../oracle/oracle-listing.ts';
import { isOpen, type Range, select } from '../oracle/selection.ts';
import type { AskedMarket, Question } from '../question.ts';

type Dates = readonly { date: string; available: boolean; price: number }[];

/** The size of the pages on which a feed client looks for one listing. */
const PAGE_SIZE = 10;

/**
 * Whether a listing is free on some dates, and the nearest free dates. The feed has no request for one
 * listing, so the feed's client reads the newest listings of that kind. The listing is among the newest. This
 * favors the feed.
 */
export function isFree({ listings, today }: AskedMarket): Question {
  const filters = { city: 'Curitiba', category: 'temporada' };
  const [date, date_to] = ['2026-12-18', '2026-12-20'];
  const range = [daysAfter(today, date), daysAfter(today, date_to)] as const;
  const listing = select(listings, {
    adType: 'rent',
    city: slugOf(filters.city),
    category: filters.category,
  }).find((each) => {
    const { before, after } = nearestFree(each, range);
    return !isOpen(each, range) && before && after;
  });
  if (!listing) throw new Error('no listing is taken on some dates and free before and after them');
  const { before, after } = nearestFree(listing, range);
  const text = (each: Range | undefined) =>
    each ? each.map((day) => dateAfter(today, day)).join(' to ') : 'none';
  return {
    name: 'is a listing free',
    text: `Is listing ${listing.id} (holiday rental in Curitiba) free from 18 to 20 December? If not, what are the nearest three free days before and after?`,
    expected: {
      ids: [listing.id],
      facts: {
        available: false,
        taken: closedDates(listing, range)
          .map((day) => dateAfter(today, day))
          .join(' '),
        before: text(before),
        after: text(after),
      },
    },
    byTools: async (tools) => {
      const { id, available, unavailable_dates, nearest } = await tools.availability({
        id: listing.id,
        date,
        date_to,
      });
      const fromTo = (each: { from: string; to: string } | null | undefined) =>
        each ? `${each.from} to ${each.to}` : 'none';
      return {
        ids: [id],
        facts: {
          available,
          taken: unavailable_dates.join(' '),
          before: fromTo(nearest.before),
          after: fromTo(nearest.after),
        },
      };
    },
    byFeed: async (feed) => {
      const [found] = await feed.find(
        'rent',
        { ...filters, pageSize: PAGE_SIZE },
        1,
        ({ id }) => id === listing.id,
      );
      const calendar = { nights: pricesByDay(found?.availability ?? [], today) };
      const free = nearestFree(calendar, range);
      return {
        ids: found ? [found.id] : [],
        facts: {
          available: isOpen(calendar, range),
          taken: closedDates(calendar, range)
            .map((day) => dateAfter(today, day))
            .join(' '),
          before: text(free.before),
          after: text(free.after),
        },
      };
    },
  };
}

/**
 * Every free date of one listing with its price. The listing is the newest of its kind. This favors the feed.
 */
export function wholeCalendar({ listings, today }: AskedMarket): Question {
  const filters = { city: 'Salvador', category: 'temporada' };
  const [listing] = select(listings, {
    adType: 'rent',
    city: slugOf(filters.city),
    category: filters.category,
  });
  if (!listing) throw new Error(`no holiday rental in ${filters.city}`);
  const textOf = (nights: Int32Array) =>
    Array.from(nights)
      .flatMap((cents, day) => (cents === CLOSED ? [] : [`${dateAfter(today, day)}: ${cents / 100}`]))
      .join(', ');
  return {
    name: 'calendar of one listing',
    text: `Quais datas ainda estão livres no anúncio ${listing.id} (temporada em Salvador), e por quanto?`,
    expected: { ids: [listing.id], facts: { free: textOf(listing.nights) } },
    byTools: async (tools) => {
      const { id, calendar } = await tools.listing({ id: listing.id });
      const dates = calendar.flatMap(({ from, to, available, price = 0 }) =>
        Array.from({ length: daysAfter(from, to) + 1 }, (_, day) => ({
          date: dateAfter(from, day),
          available,
          price,
        })),
      );
      return { ids: [id], facts: { free: textOf(pricesByDay(dates, today)) } };
    },
    byFeed: async (feed) => {
      const [found] = await feed.find(
        'rent',
        { ...filters, pageSize: PAGE_SIZE },
        1,
        ({ id }) => id === listing.id,
      );
      const nights = pricesByDay(found?.availability ?? [], today);
      return { ids: found ? [found.id] : [], facts: { free: textOf(nights) } };
    },
  };
}

function pricesByDay(dates: Dates, today: string): Int32Array {
  const nights = new Int32Array(HORIZON_DAYS).fill(CLOSED);
  for (const { date, available, price } of dates)
    if (available) nights[daysAfter(today, date)] = Math.round(price * 100);
  return nights;
}

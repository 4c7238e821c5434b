/** What the oracle needs to know about a listing. */
export interface StayListing {
  id: string;
  city: string;
  price: number;
  rating?: number | undefined;
  publishedAt: number;
  /** The known dates, each with its price, or with null if the date is taken. */
  calendar: ReadonlyMap<string, number | null>;
}

/** A question about stays. */
export interface StayQuestion {
  date: string;
  dateTo?: string | undefined;
  nights?: number | undefined;
  minTotal?: number | undefined;
  maxTotal?: number | undefined;
  city?: string | undefined;
  sort?: 'newest' | 'price' | 'rating' | 'total_price' | undefined;
}

export interface StayAnswer {
  /** The matching items in order. */
  items: { id: string; stay: { from: string; to: string; total_price: number } }[];
  stays: { from: string; to: string; items: number; min_total_price?: number; max_total_price?: number }[];
}

const TWO_DIGITS = (number: number): string => String(number).padStart(2, '0');

/** The last date that a request can contain. */
const LAST_DATE = '9999-12-31';

/** The date that follows. This function uses no library, so that it shares nothing with the product. */
export function nextDate(date: string): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] as number;
  if (day < length) return `${date.slice(0, 8)}${TWO_DIGITS(day + 1)}`;
  if (month < 12) return `${date.slice(0, 5)}${TWO_DIGITS(month + 1)}-01`;
  return `${String(year + 1).padStart(4, '0')}-01-01`;
}

/** Adds a number of days, which must not be negative. */
export function later(date: string, days: number): string {
  let result = date;
  for (let i = 0; i < days; i++) result = nextDate(result);
  return result;
}

/** All dates from the first to the last one. */
function range(first: string, last: string): string[] {
  const dates: string[] = [];
  for (let date = first; date <= last; date = nextDate(date)) {
    dates.push(date);
    if (date === last) break;
  }
  return dates;
}

/** The price in cents, from its decimal digits. */
const cents = (price: number): bigint => BigInt(price.toFixed(2).replace('.', ''));

/** The total of a stay in cents. Undefined if a night is taken or unknown. */
function totalOf(listing: StayListing, nights: readonly string[]): bigint | undefined {
  let sum = 0n;
  for (const night of nights) {
    const price = listing.calendar.get(night);
    if (price === undefined || price === null) return undefined;
    sum += cents(price);
  }
  return sum;
}

const brl = (sum: bigint): number => Number(sum) / 100;

/** Every stay of this many nights among consecutive dates. */
const staysAmong = (dates: readonly string[], nights: number): string[][] =>
  dates.flatMap((_, i) => (i + nights <= dates.length ? [dates.slice(i, i + nights)] : []));

/** Answers a question from the listings alone. Rules: docs/reference/rules.md#stays. */
export function answerStays(
  listings: readonly StayListing[],
  question: StayQuestion,
  today: string,
): StayAnswer {
  const { date, dateTo = date, nights, minTotal, maxTotal, city, sort } = question;
  const dates = range(date, dateTo);
  const asked =
    nights === undefined
      ? date < today
        ? []
        : [dates]
      : staysAmong(
          dates.filter((one) => one >= today),
          nights,
        );
  const inCity = listings.filter((listing) => city === undefined || listing.city === city);
  const found = inCity.flatMap((listing) => {
    let best: { nights: string[]; sum: bigint } | undefined;
    for (const stay of asked) {
      const sum = totalOf(listing, stay);
      if (sum !== undefined && (best === undefined || sum < best.sum)) best = { nights: stay, sum };
    }
    if (!best) return [];
    const total = brl(best.sum);
    if (minTotal !== undefined && total < minTotal) return [];
    if (maxTotal !== undefined && total > maxTotal) return [];
    return [
      {
        listing,
        stay: { from: best.nights[0] as string, to: best.nights.at(-1) as string, total_price: total },
      },
    ];
  });
  found.sort((a, b) => {
    const keys = (one: (typeof found)[number]): number =>
      sort === 'price'
        ? one.listing.price
        : sort === 'rating'
          ? -(one.listing.rating ?? -1)
          : sort === 'total_price'
            ? one.stay.total_price
            : -one.listing.publishedAt;
    return keys(a) - keys(b) || (a.listing.id < b.listing.id ? -1 : 1);
  });
  const summarized = nights === undefined ? shifts(dates, today) : asked;
  return {
    items: found.map(({ listing, stay }) => ({ id: listing.id, stay })),
    stays: summarized.map((stay) => summary(inCity, stay)),
  };
}

/** The range and its shifts by up to three days, without those that begin before today. */
function shifts(dates: readonly string[], today: string): string[][] {
  const first = dates[0] as string;
  let begin = first;
  for (let back = 0; back < 3; back++) begin = previousDate(begin);
  let end = dates.at(-1) as string;
  for (let on = 0; on < 3 && end !== LAST_DATE; on++) end = nextDate(end);
  const all = range(begin, end);
  return staysAmong(all, dates.length).filter(([from = '']) => from >= today);
}

function previousDate(date: string): string {
  let before = `${date.slice(0, 8)}01`;
  if (before === date) {
    const [year, month] = date.split('-').map(Number) as [number, number, number];
    before =
      month === 1
        ? `${String(year - 1).padStart(4, '0')}-12-01`
        : `${date.slice(0, 5)}${TWO_DIGITS(month - 1)}-01`;
  }
  while (nextDate(before) !== date) before = nextDate(before);
  return before;
}

function summary(listings: readonly StayListing[], stay: readonly string[]): StayAnswer['stays'][number] {
  const totals = listings.flatMap((listing) => totalOf(listing, stay) ?? []);
  const [from, to] = [stay[0] as string, stay.at(-1) as string];
  if (totals.length === 0) return { from, to, items: 0 };
  const lowest = totals.reduce((a, b) => (b < a ? b : a));
  const highest = totals.reduce((a, b) => (b > a ? b : a));
  return { from, to, items: totals.length, min_total_price: brl(lowest), max_total_price: brl(highest) };
}

/** Counts the listings whose calendars lack a date between the first and the last one. */
export const countUnknown = (listings: readonly StayListing[], first: string, last: string): number =>
  listings.filter(({ calendar }) => range(first, last).some((date) => !calendar.has(date))).length;

import type { GeneratedListing } from '@vitrine/fixtures';

/** A listing as the oracle compares it. Money is in cents, and dates are numbers of days after today. */
export interface OracleListing {
  id: string;
  adType: string;
  city: string;
  /** The state's code in lower case. */
  state: string;
  category: string;
  subCategory: string;
  cents: number;
  /** Epoch milliseconds. */
  publishedAt: number;
  latitude: number;
  longitude: number;
  /** The price of each date from today on, or CLOSED. Empty if the listing has no calendar. */
  nights: Int32Array;
  /** The number of the calendar's last date, or -1 if there is no calendar. Calendars have no gaps. */
  until: number;
  /** Tenths of a star. */
  rating: number;
  hasImage: boolean;
}

/** The entry of a date on which a listing is not available. */
export const CLOSED = -1;
/** The number of dates from today on that the feeds serve. Rule: docs/reference/rules.md#availability. */
export const HORIZON_DAYS = 90;
const DAY_MS = 86_400_000;

/** Returns the slug of a string: lower case, without accents, with hyphens between the words. */
export const slugOf = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** Converts an amount in BRL to cents. */
export const centsOf = (price: number): number => Math.floor(price * 100 + 0.5);

/** Returns the number of days from `today` to `date`. Both have the form YYYY-MM-DD. */
export const daysAfter = (today: string, date: string): number =>
  (Date.parse(date) - Date.parse(today)) / DAY_MS;

/** Returns the date that is `days` days after `today`, as YYYY-MM-DD. */
export const dateAfter = (today: string, days: number): string =>
  new Date(Date.parse(today) + days * DAY_MS).toISOString().slice(0, 10);

/** Converts a complete listing of the market. A date without a price has the listing's price. */
export function oracleListing({ id, fields, calendar }: GeneratedListing, today: string): OracleListing {
  const cents = centsOf(fields.price);
  const nights = new Int32Array(calendar.length > 0 ? HORIZON_DAYS : 0).fill(CLOSED);
  for (const { date, available, price } of calendar) {
    const day = daysAfter(today, date);
    if (available && day >= 0 && day < nights.length)
      nights[day] = typeof price === 'number' ? centsOf(price) : cents;
  }
  const { city, state, lat, lng } = fields.location;
  const last = calendar.at(-1);
  return {
    id,
    adType: fields.ad_type,
    city: slugOf(city ?? ''),
    state: slugOf(state ?? ''),
    category: slugOf(fields.category),
    subCategory: slugOf(fields.sub_category),
    cents,
    publishedAt: Date.parse(fields.published_at),
    latitude: lat ?? Number.NaN,
    longitude: lng ?? Number.NaN,
    nights,
    until: last ? daysAfter(today, last.date) : -1,
    rating: Math.round((fields.rating ?? 0) * 10),
    hasImage: (fields.images ?? []).length > 0,
  };
}

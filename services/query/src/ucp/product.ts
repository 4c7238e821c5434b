import { calendarRanges, closedDates, type Stay, type StayPrice, stayPrice } from '../agents/calendar.ts';
import type { Listing } from '../agents/listing-source.ts';
import { datesFrom } from '../request/calendar-dates.ts';

/** An amount in centavos. UCP's price.json. */
export interface Price {
  amount: number;
  currency: 'BRL';
}

/** The requested dates in `metadata`. Source: the extension's schema, in availability-schema.ts. */
interface AskedStay {
  date: string;
  date_to: string;
  available: boolean;
  total_price?: Price;
  nightly_prices?: { date: string; price: Price }[];
  /** Dates that are taken or past. */
  unavailable_dates?: string[];
  /** Dates without an entry in the calendar. */
  unknown_dates?: string[];
}

/** The members of `metadata` that the extension defines. */
interface ProductMetadata {
  ad_type?: string;
  location: { city: string; state?: string; country: 'BR' };
  stay?: AskedStay;
  calendar?: { from: string; to: string; available: boolean; price: Price }[];
}

/** UCP's variant.json, as far as a listing has its members. */
interface Variant {
  id: string;
  title: string;
  description: { plain: string };
  price: Price;
  url: string;
  availability?: { available: boolean };
  seller?: { name: string };
  /** Present only in the response to a lookup. */
  inputs?: { id: string; match: 'exact' }[];
}

/** UCP's product.json, as far as a listing has its members. */
export interface Product {
  id: string;
  title: string;
  description: { plain: string };
  url: string;
  categories?: { value: string; taxonomy: 'merchant' }[];
  price_range: { min: Price; max: Price };
  media?: { type: 'image'; url: string }[];
  variants: [Variant];
  rating?: { value: number; scale_min: number; scale_max: number; count?: number };
  metadata: ProductMetadata;
}

export interface ProductOptions {
  /** YYYY-MM-DD. */
  today: string;
  /** The requested dates. */
  stay?: Stay | undefined;
  /** The last date of the calendar in `metadata`. If undefined, there is no calendar. */
  calendarUntil?: string | undefined;
}

const CENTAVOS = 100;
/** The scale of the feed item's `rating`. */
const [MIN_RATING, MAX_RATING] = [0, 5];

/** Converts BRL to centavos. */
export const priceOf = (brl: number): Price => ({ amount: Math.round(brl * CENTAVOS), currency: 'BRL' });

/** Returns a listing as a product with one variant of the same id. Rule: docs/reference/ucp.md#mapping. */
export function productOf(listing: Listing, { today, stay, calendarUntil }: ProductOptions): Product {
  const { item, adType, calendar } = listing;
  const { id, title, url, category, sub_category, provider, images, rating, review_count, location } = item;
  // UCP requires a description.
  const description = { plain: item.description ?? title };
  const price = priceOf(item.price);
  const asked = stay && askedStay(listing, stay, today);
  const values = [...new Set([category, sub_category])].filter((value) => value !== undefined);
  return {
    id,
    title,
    description,
    url,
    ...(values.length > 0 && { categories: values.map((value) => ({ value, taxonomy: 'merchant' })) }),
    price_range: { min: price, max: price },
    ...(images && { media: images.map((image) => ({ type: 'image', url: image })) }),
    variants: [
      {
        id,
        title,
        description,
        price,
        url,
        ...(asked && { availability: { available: asked.available } }),
        ...(provider && { seller: { name: provider.name } }),
      },
    ],
    ...(rating !== undefined && {
      rating: {
        value: rating,
        scale_min: MIN_RATING,
        scale_max: MAX_RATING,
        ...(review_count !== undefined && { count: review_count }),
      },
    }),
    metadata: {
      ...(adType !== undefined && { ad_type: adType }),
      location,
      ...(asked && { stay: asked }),
      ...(calendarUntil !== undefined && {
        calendar: calendarRanges(calendar.filter(({ date }) => date <= calendarUntil)).map((range) => ({
          ...range,
          price: priceOf(range.price),
        })),
      }),
    },
  };
}

function askedStay({ calendar }: Listing, stay: Stay, today: string): AskedStay {
  const dates = { date: stay.date, date_to: stay.dateTo };
  const price = stayPrice(calendar, stay);
  if (!price) {
    const { unavailable, unknown } = closedDates(calendar, stay, today);
    return {
      ...dates,
      available: false,
      ...(unavailable.length > 0 && { unavailable_dates: unavailable }),
      ...(unknown.length > 0 && { unknown_dates: unknown }),
    };
  }
  return {
    ...dates,
    available: true,
    total_price: priceOf(price.total_price),
    nightly_prices: nightlyPrices(price, stay),
  };
}

const nightlyPrices = ({ nights, each_night }: StayPrice, { date, dateTo }: Stay) =>
  datesFrom(date, dateTo).map((day, i) => ({ date: day, price: priceOf(nights?.[i] ?? each_night ?? 0) }));

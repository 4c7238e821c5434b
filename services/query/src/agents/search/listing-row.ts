import type { FeedCriteria } from '../../request/criteria.ts';
import type { Point } from '../../request/sort-position.ts';
import type { PricedStay } from '../../stored/cheapest-stay.ts';
import { address, clipped, day, identifier, joined, quoted, type Shown, say } from '../answer-text.ts';
import { type StayPrice, stayPrice } from '../calendar.ts';
import type { Listing } from '../listing-source.ts';
import { stayText } from '../stay.ts';

/** Radius of the sphere that Elasticsearch uses, in kilometers. */
const EARTH_RADIUS_KM = 6_371.0087714;

export type Detail = 'concise' | 'detailed';

const MAX_TITLE = 300;
const MAX_CITY = 100;
const MAX_STATE = 50;
const MAX_NAME = 100;
const MAX_DESCRIPTION = 600;
/** A truncated address leads nowhere, so longer addresses are left out. */
const MAX_IMAGE = 500;

/** One listing of a result. `labels` and `calendar` are left out. */
export interface Row extends Partial<StayPrice> {
  id: string;
  title: string;
  price: number;
  city: string;
  state?: string;
  url: string;
  /** The cheapest stay within the requested dates. `to` is the last night. */
  stay?: PricedStay;
  [detail: string]: unknown;
}

export function rowOf(listing: Listing, criteria: FeedCriteria, detail: Detail): Row {
  const { id, title, price, location, url } = listing.item;
  const { date, dateTo = date } = criteria;
  const { stay } = listing;
  const nights = stay ? { date: stay.from, dateTo: stay.to } : date && dateTo && { date, dateTo };
  return {
    id,
    title: clipped(title, MAX_TITLE),
    price,
    city: clipped(location.city, MAX_CITY),
    ...(location.state !== undefined && { state: clipped(location.state, MAX_STATE) }),
    url,
    ...(stay && { stay }),
    ...(nights && stayPrice(listing.calendar, nights)),
    ...(detail === 'detailed' && detailsOf(listing, criteria)),
  };
}

function detailsOf({ item, adType, calendarUntil, point }: Listing, criteria: FeedCriteria): object {
  const { description, category, sub_category, provider, rating, review_count, images = [] } = item;
  const image = images.find(({ length }) => length <= MAX_IMAGE);
  return {
    ...(adType && { ad_type: adType }),
    ...(category && { category: clipped(category, MAX_NAME) }),
    ...(sub_category && { sub_category: clipped(sub_category, MAX_NAME) }),
    ...(provider && { provider: clipped(provider.name, MAX_NAME) }),
    ...(rating !== undefined && { rating }),
    ...(review_count !== undefined && { review_count }),
    ...(point && criteria.point && { distance_km: distanceKm(point, criteria.point) }),
    ...(calendarUntil !== undefined && { calendar_until: calendarUntil }),
    ...(image && { image }),
    ...(description && { description: clipped(description, MAX_DESCRIPTION) }),
  };
}

/** Returns the rows of the table in an answer's text. The details come last in a row. */
export function columnsOf({ date, nights }: FeedCriteria, detail: Detail, rows: readonly Row[]): Shown[][] {
  const isDetailed = detail === 'detailed';
  const isFlexible = nights !== undefined;
  return [
    [
      say`id`,
      say`title`,
      say`price`,
      ...(isFlexible ? [say`stay, first to last night`] : []),
      ...(date ? [say`total_price (nights)`] : []),
      say`city`,
      say`url`,
      ...(isDetailed ? [say`details`] : []),
    ],
    ...rows.map(
      ({ id, title, price, city, state, url, stay, total_price, nights, each_night, ...details }) => [
        identifier(id),
        quoted(title),
        say`${price}`,
        ...(isFlexible ? [stay ? say`${day(stay.from)} to ${day(stay.to)}` : say`-`] : []),
        ...(date ? [stayText({ total_price, nights, each_night })] : []),
        quoted(state === undefined ? city : `${city}, ${state}`),
        address(url),
        ...(isDetailed ? [joined(Object.entries(details).map(detailText), '; ')] : []),
      ],
    ),
  ];
}

const detailText = ([name, value]: [string, unknown]): Shown =>
  say`${identifier(name)} ${typeof value === 'number' ? value : quoted(String(value), MAX_DESCRIPTION)}`;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Returns the great-circle distance in kilometers (haversine formula), rounded to 10 m. */
function distanceKm(a: Point, b: Point): number {
  const [north, east] = [radians(b.lat - a.lat), radians(b.lon - a.lon)];
  const haversine =
    Math.sin(north / 2) ** 2 + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(east / 2) ** 2;
  const km = 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(haversine)));
  return Math.round(km * 100) / 100;
}

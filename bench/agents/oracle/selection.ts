import { CLOSED, type OracleListing } from './oracle-listing.ts';

/** A range of dates, as numbers of days after today, inclusive. */
export type Range = readonly [first: number, last: number];
type Calendar = Pick<OracleListing, 'nights'>;

/** Conditions on listings. An absent condition holds for every listing. */
export interface Conditions {
  adType?: string;
  /** Slugs. */
  city?: string;
  state?: string;
  category?: string;
  subCategory?: string;
  /** Every date from the first to the last must be open. The dates are numbers of days after today. */
  dates?: Range;
  /** Bounds of the listing's own price in cents, inclusive. */
  minCents?: number;
  maxCents?: number;
  /** Tenths of a star. */
  minRating?: number;
}

/** Returns whether the listing can be taken on every date of the range. */
export function isOpen({ nights }: Calendar, [first, last]: Range): boolean {
  for (let day = first; day <= last; day++) if ((nights[day] ?? CLOSED) === CLOSED) return false;
  return true;
}

/** Returns the listings that meet all conditions, in their given order. */
export const select = (listings: readonly OracleListing[], conditions: Conditions): OracleListing[] => {
  const { adType, city, state, category, subCategory, dates } = conditions;
  const { minCents = 0, maxCents = Infinity, minRating = 0 } = conditions;
  return listings.filter(
    (listing) =>
      (adType === undefined || listing.adType === adType) &&
      (city === undefined || listing.city === city) &&
      (state === undefined || listing.state === state) &&
      (category === undefined || listing.category === category) &&
      (subCategory === undefined || listing.subCategory === subCategory) &&
      listing.cents >= minCents &&
      listing.cents <= maxCents &&
      listing.rating >= minRating &&
      (dates === undefined || isOpen(listing, dates)),
  );
};

/** Sorts newest first, then by id. */
export const newestFirst = (listings: readonly OracleListing[]): OracleListing[] =>
  listings.toSorted((a, b) => b.publishedAt - a.publishedAt || (a.id < b.id ? -1 : 1));

/** Sorts nearest to the point first. Listings at equal distances keep the feed's order. */
export function nearestFirst(
  listings: readonly OracleListing[],
  latitude: number,
  longitude: number,
): OracleListing[] {
  const distances = new Map(
    listings.map((listing) => [listing, angle(listing, { latitude, longitude })] as const),
  );
  const distance = (listing: OracleListing) => distances.get(listing) ?? Infinity;
  return newestFirst(listings).sort((a, b) => distance(a) - distance(b));
}

interface Place {
  latitude: number;
  longitude: number;
}

/** Sorts by a number, ascending. Listings with equal numbers are in the order of their ids. */
export const sortedBy = <Listing extends { id: string }>(
  listings: readonly Listing[],
  key: (listing: Listing) => number,
): Listing[] => listings.toSorted((a, b) => key(a) - key(b) || (a.id < b.id ? -1 : 1));

/** The angle between two places as seen from the center of the Earth, in radians (haversine formula). */
function angle(a: Place, b: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const north = radians(b.latitude - a.latitude);
  const east = radians(b.longitude - a.longitude);
  const square =
    Math.sin(north / 2) ** 2 +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(east / 2) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(square)));
}

/** Counts the listings by the value of a member. */
export function countBy(
  listings: readonly OracleListing[],
  member: 'city' | 'category' | 'subCategory' | 'adType',
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const listing of listings) counts[listing[member]] = (counts[listing[member]] ?? 0) + 1;
  return counts;
}

/** The number of open listings and the lowest price of one date; no price if no listing is open. */
export function offersOn(
  listings: readonly OracleListing[],
  day: number,
): { count: number; minCents?: number } {
  let count = 0;
  let minCents = Infinity;
  for (const { nights } of listings) {
    const cents = nights[day] ?? CLOSED;
    if (cents === CLOSED) continue;
    count++;
    minCents = Math.min(minCents, cents);
  }
  return count === 0 ? { count } : { count, minCents };
}

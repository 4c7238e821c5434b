import type { CalendarDate, ListingFields } from '@vitrine/listing-events';
import { addDays, isWeekend } from './calendar-dates.ts';
import { CITIES, type City } from './cities.ts';
import { Draws } from './draws.ts';
import { messyCity, messyDescription, messyTitle } from './messy-text.ts';
import { type AdType, OFFERS, type Offer, PROVIDERS, SENTENCES } from './vocabulary.ts';

/** What keeps a listing out of the feed; the members of an item that no feed goes without. */
export type Flaw = 'title' | 'price' | 'location' | 'url';

/** A listing as its seller means it; `flaw` is what the events about it leave out or get wrong. */
export interface DemoListing {
  id: string;
  adType: AdType;
  fields: ListingFields;
  calendar: CalendarDate[];
  flaw: Flaw | undefined;
  removed: boolean;
}

export interface GeneratorOptions {
  seed: number;
  count: number;
  /** First date of the calendars, YYYY-MM-DD; `published_at` is in the two years before it. */
  today: string;
}

interface AdTypeShare {
  adType: AdType;
  weight: number;
}

const SITE = 'https://www.vitrine.example';
const TYPES: readonly [AdTypeShare, ...AdTypeShare[]] = [
  { adType: 'rent', weight: 42 },
  { adType: 'sale', weight: 33 },
  { adType: 'service', weight: 25 },
];
const FLAWS = ['title', 'price', 'location', 'url'] as const;
const FLAWED = 0.08;
const REMOVED = 0.015;
const TWO_YEARS_IN_SECONDS = 2 * 365 * 86_400;

/** Whether the feed has the listing once all its events have arrived. */
export const isComplete = ({ flaw, removed }: DemoListing): boolean => flaw === undefined && !removed;

/** Listings that are the same whenever seed, count and date are the same. Pure. */
export function generateListings({ seed, count, today }: GeneratorOptions): DemoListing[] {
  const draws = new Draws(seed);
  return Array.from({ length: count }, (_, index) => generateListing(index + 1, today, draws));
}

/** One more listing. @param number is part of its id */
export function generateListing(number: number, today: string, draws: Draws): DemoListing {
  const { adType } = draws.weighted(TYPES);
  const city = draws.weighted(CITIES);
  const offer = draws.pick(OFFERS[adType]);
  const id = `demo-${adType}-${String(number).padStart(5, '0')}`;
  const price = priceOf(offer, draws);
  return {
    id,
    adType,
    fields: fieldsOf({ id, adType, city, offer, price, today, draws }),
    calendar: adType === 'sale' ? [] : calendarOf(price, today, draws),
    flaw: draws.chance(FLAWED) ? draws.pick(FLAWS) : undefined,
    removed: draws.chance(REMOVED),
  };
}

interface Ingredients {
  id: string;
  adType: AdType;
  city: City;
  offer: Offer;
  price: number;
  today: string;
  draws: Draws;
}

function fieldsOf({ id, adType, city, offer, price, today, draws }: Ingredients): ListingFields {
  const title = `${draws.pick(offer.names)} ${draws.pick(offer.extras)}`;
  const sentences = Array.from({ length: draws.integer(2, 5) }, () => draws.pick(SENTENCES));
  return {
    ad_type: adType,
    title: messyTitle(title, draws),
    description: messyDescription([`${title} em ${city.name}.`, ...new Set(sentences)], draws),
    category: offer.category,
    sub_category: offer.subCategory,
    price,
    location: { city: messyCity(city.name, draws), state: city.state, lat: near(city.lat, draws), lng: near(city.lng, draws) },
    provider: draws.pick(PROVIDERS),
    rating: draws.integer(32, 50) / 10,
    review_count: draws.integer(0, 240),
    images: Array.from({ length: draws.integer(0, 6) }, (_, image) => `${SITE}/imagens/${id}/${image + 1}.jpg`),
    url: `${SITE}/catalogo/${id}`,
    published_at: new Date(Date.parse(today) - draws.integer(0, TWO_YEARS_IN_SECONDS) * 1000).toISOString(),
  };
}

/** Cheap ones are more frequent than dear ones; sellers like round numbers, or ones that end in 90 centavos. */
function priceOf({ price: [lowest, highest] }: Offer, draws: Draws): number {
  const price = lowest * (highest / lowest) ** (draws.fraction() ** 1.5);
  const step = 10 ** Math.max(0, Math.floor(Math.log10(price)) - 1);
  const round = Math.round(price / step) * step;
  return price < 1_000 && draws.chance(0.2) ? round - 0.1 : round;
}

/** About seven kilometres around the centre. */
const near = (degrees: number, draws: Draws): number => Math.round((degrees + (draws.fraction() - 0.5) * 0.13) * 1e5) / 1e5;

function calendarOf(price: number, today: string, draws: Draws): CalendarDate[] {
  const occupancy = 0.1 + draws.fraction() * 0.4;
  return Array.from({ length: draws.integer(60, 120) }, (_, day) => {
    const date = addDays(today, day);
    const available = !draws.chance(occupancy);
    // A date without a price has the listing's.
    if (!isWeekend(date)) return draws.chance(0.2) ? { date, available } : { date, available, price };
    return { date, available, price: Math.round(price * 1.3) };
  });
}

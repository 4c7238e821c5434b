import { type Availability, type FeedItem, type ItemDocument, slugify } from '@vitrine/feed-index';

export const TODAY = '2026-12-01';
const DAY_MS = 86_400_000;

const CITIES = ['São Paulo', 'Recife', 'Belo Horizonte', 'Santa Bárbara d’Oeste'];
const CATEGORIES = ['casa', 'apartamento', undefined];
const SUB_CATEGORIES = ['quarto', 'inteiro', undefined];
/** Coordinates of the CITIES. */
const CENTRES = [
  { lat: -23.55, lon: -46.63 },
  { lat: -8.05, lon: -34.9 },
  { lat: -19.92, lon: -43.94 },
  { lat: -22.75, lon: -47.41 },
];
const AD_TYPES = ['sale', 'rent', 'service', undefined] as const;

/** TODAY plus `days`, as YYYY-MM-DD. */
export const day = (days: number): string => new Date(Date.parse(TODAY) + days * DAY_MS).toISOString().slice(0, 10);

/**
 * The same `count` items at every call: calendars that begin before TODAY, and many items with the same
 * `published_at`.
 */
export function generateItems(count: number): ItemDocument[] {
  const random = seededRandom(20_261_201);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  return Array.from({ length: count }, (_, number) => {
    const [city, category, sub_category, ad_type] = [pick(CITIES), pick(CATEGORIES), pick(SUB_CATEGORIES), pick(AD_TYPES)];
    const id = `item-${number}`;
    const price = 10 + Math.floor(random() * 1_000);
    const feed_item: FeedItem = {
      id,
      title: `Anúncio ${number}`,
      ...(category && { category }),
      ...(sub_category && { sub_category }),
      price,
      currency: 'BRL',
      location: { city, country: 'BR' },
      url: `https://example.com/${id}`,
    };
    const calendar: Availability[] =
      random() < 0.2
        ? []
        : Array.from({ length: 130 }, (_, days) => days - 5)
            .filter(() => random() < 0.8)
            .map((days) => ({ date: day(days), available: random() < 0.6, price: price + Math.floor(random() * 50) }));
    const point = random() < 0.2 ? undefined : near(CENTRES[CITIES.indexOf(city)] as Point, random);
    const open = calendar.filter(({ available }) => available);
    return {
      id,
      published_at: Date.parse(TODAY) - Math.floor(random() * 10) * DAY_MS,
      ...(ad_type && { ad_type }),
      city: slugify(city) ?? '',
      ...(category && { category }),
      ...(sub_category && { sub_category }),
      ...(point && { point }),
      open_dates: open.map(({ date }) => date),
      offers: open.map(({ date, price }) => ({ date, price })),
      feed_item,
      calendar,
    };
  });
}

/** Newest first, then by id. */
export const inFeedOrder = (items: ItemDocument[]): ItemDocument[] =>
  items.toSorted((a, b) => b.published_at - a.published_at || (a.id < b.id ? -1 : 1));

type Point = NonNullable<ItemDocument['point']>;

/** A random point within about 60 km of `centre`, sometimes the centre itself. */
function near({ lat, lon }: Point, random: () => number): Point {
  const [north, east] = random() < 0.3 ? [0, 0] : [random() - 0.5, random() - 0.5];
  return { lat: lat + north, lon: lon + east };
}

const EARTH_RADIUS = 6_371_008.7714;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Meters on the sphere that Elasticsearch uses. */
export function distance(a: Point, b: Point): number {
  const [north, east] = [radians(b.lat - a.lat), radians(b.lon - a.lon)];
  const h = Math.sin(north / 2) ** 2 + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Linear congruential, so a failing run can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

import { type Availability, type FeedItem, type ItemDocument, slugify } from '@vitrine/feed-index';

export const TODAY = '2026-12-01';
const DAY_MS = 86_400_000;

const CITIES = ['São Paulo', 'Recife', 'Belo Horizonte', 'Santa Bárbara d’Oeste'];
const CATEGORIES = ['casa', 'apartamento', undefined];
const SUB_CATEGORIES = ['quarto', 'inteiro', undefined];
const AD_TYPES = ['sale', 'rent', 'service', undefined] as const;

/** TODAY moved by `days`, as YYYY-MM-DD. */
export const day = (days: number): string => new Date(Date.parse(TODAY) + days * DAY_MS).toISOString().slice(0, 10);

/** The same `count` items at every call: calendars that begin before TODAY, and many items with one and the same `published_at`. */
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
    const open = calendar.filter(({ available }) => available);
    return {
      id,
      published_at: Date.parse(TODAY) - Math.floor(random() * 10) * DAY_MS,
      ...(ad_type && { ad_type }),
      city: slugify(city) ?? '',
      ...(category && { category }),
      ...(sub_category && { sub_category }),
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

/** Linear congruential, so that a failing run can be run again. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

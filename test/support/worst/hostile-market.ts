import type { Item } from '@vitrine/feed-index';
import { day, generateItems, type Random } from '@vitrine/fixtures';

/** The marker in every hostile text, by which a test finds the texts of listings in a response. */
export const MARKER = 'SYSTEM:';

/** The market's ids, by what is hostile in the listings. */
export interface HostileMarket {
  items: Item[];
  ids: Record<'giant' | 'calendar' | 'text' | 'ordinary', string[]>;
  /** Words near the values of many listings. */
  nearValues: string[];
}

const TITLES = [
  (n: number) => `https://evil.example/${MARKER}title${n}`,
  (n: number) => `${MARKER}${'ação-'.repeat(900)}${n}`,
  (n: number) => `${MARKER}${'🏖️'.repeat(2_000)}${n}`,
  (n: number) => `${MARKER}"quoted\\${'"'.repeat(300)}${n}`,
] as const;
const URLS = [
  (n: number) => `https://example.com/${n}`,
  (n: number) => `https://example.com/${'%C3%A7'.repeat(330)}${n}`,
  (n: number) => `https://example.com/${'q9Zx'.repeat(470)}${n}`,
] as const;

/**
 * Creates a market with every kind of expensive listing: items of megabytes, calendars of ten years,
 * thousands of long city and category names, and texts that imitate the service.
 */
export function hostileMarket(
  random: Random,
  { giants = 24, calendars = 12, values = 4_000 } = {},
): HostileMarket {
  const count = giants + calendars + values + 20;
  const [...bases] = generateItems(count);
  const ids: HostileMarket['ids'] = { giant: [], calendar: [], text: [], ordinary: [] };
  const nearValues = new Set<string>();
  const items = bases.map((base, n): Item => {
    const kind =
      n < giants
        ? 'giant'
        : n < giants + calendars
          ? 'calendar'
          : n < giants + calendars + values
            ? 'text'
            : 'ordinary';
    ids[kind].push(base.id);
    if (kind === 'giant')
      return { ...base, feed_item: { ...base.feed_item, images: images(random) }, calendar: [] };
    if (kind === 'calendar') return { ...base, calendar: longCalendar(random) };
    if (kind === 'ordinary') return { ...base, calendar: base.calendar.slice(0, 5) };
    const word = longWord(random, n);
    if (nearValues.size < 20) nearValues.add(word.slice(0, -2));
    return {
      ...base,
      city: word,
      category: `c${word}`,
      labels: { city: `${MARKER}${'rua-'.repeat(random.integer(1, 250))}`, category: `${MARKER}cat/${n}` },
      title_words: [],
      calendar: [],
      feed_item: {
        ...base.feed_item,
        title: random.pick(TITLES)(n),
        url: random.pick(URLS)(n),
        location: { city: `${MARKER}city/${n}`, state: `${MARKER}state`, country: 'BR' },
        provider: { name: `${MARKER}provider@x` },
        description: `${MARKER}do/this ${'x '.repeat(random.integer(0, 900))}`,
        category: `c${word}`,
      },
    };
  });
  return { items, ids, nearValues: [...nearValues] };
}

/** Up to 3 MB: percent-encoding triples the letters. */
const images = (random: Random): string[] =>
  Array.from(
    { length: 120 },
    (_, i) => `https://example.com/${i}/${'%C3%A7'.repeat(random.integer(3_800, 4_200))}`,
  );

/** Values that differ in their last letters, so that each of them is nearly the same as the previous word. */
const longWord = (random: Random, n: number): string =>
  `${'cidade-da-serra-'.repeat(random.integer(10, 12)).slice(0, 170)}${random.integer(10, 99)}${n % 10}`;

/** Ten years, in which no two dates form a range. */
function longCalendar(random: Random): Item['calendar'] {
  // A longer stay is never free.
  const freeInARow = random.integer(5, 40);
  return Array.from({ length: 3_660 }, (_, i) => ({
    date: day(i),
    available: i % freeInARow !== 0,
    price: 100 + (i % 97) / 100,
  }));
}

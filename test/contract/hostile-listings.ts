import type { Item } from '@vitrine/feed-index';
import { deriveItem, EMPTY_STATE, type ListingState } from '@vitrine/listing';
import fc from 'fast-check';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' ',
    '<b>x</b>',
    '&lt;',
    'São Paulo',
    '日本',
    '\0',
    '","url":"http://x/',
    '\\"',
    '\u2028',
    '👩‍🌾',
    'שלום',
    '\ud800',
  ),
);
const amount = fc.oneof(
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.constantFrom(0, 0.004, 0.005, 1.005, 10.005, 320, 1e12),
);
/** Valid and invalid URLs, with many characters that RFC 3986 forbids. */
const hostilePart = fc.array(fc.oneof(fc.constantFrom(...'[]{}|\\^`%#?"@é', '%zz'), text), { maxLength: 5 });
const hostileUrl = fc
  .tuple(
    fc.constantFrom(
      'http://x.com',
      'https://münchen.example',
      'http://[::1]:8080',
      'http://a{b',
      'http://@x.com',
    ),
    hostilePart,
  )
  .map(([site, path]) => `${site}/${path.join('')}`);
const url = fc.oneof(hostileUrl, fc.webUrl({ withQueryParameters: true, withFragments: true }));
const date = fc
  .integer({ min: 0, max: 400 })
  .map((days) => new Date(Date.UTC(2027, 0, 1 + days)).toISOString().slice(0, 10));
const entry = fc.oneof(
  fc.tuple(fc.constant(1), fc.boolean()),
  fc.tuple(fc.constant(1), fc.boolean(), amount),
);

const fields = fc.record(
  {
    ad_type: fc.constantFrom('sale', 'rent', 'service'),
    title: text,
    description: text,
    category: text,
    sub_category: text,
    price: amount,
    location: fc.record({ city: text, state: fc.option(text) }),
    provider: fc.record({ name: fc.option(text), slug: fc.option(text) }),
    rating: fc.double({ min: -1, max: 6, noNaN: true }),
    review_count: fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 31 - 1, 2 ** 31, 2 ** 53 + 1, 1e300)),
    images: fc.array(fc.oneof(url, text), { maxLength: 4 }),
    url,
    published_at: fc.constantFrom('2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', '1970-01-01T00:00:00Z'),
  },
  { requiredKeys: ['title', 'price', 'location', 'url'] },
);

/**
 * Generates listings that the event schema accepts, with content that causes problems for clients. Many of
 * these listings are incomplete.
 */
export const hostileListing: fc.Arbitrary<ListingState> = fc
  .tuple(fields, fc.dictionary(date, entry, { maxKeys: 5 }))
  .map(([listing, dates]) => {
    const atVersionOne = Object.fromEntries(
      Object.entries(listing).map(([name, value]) => [name, [1, value]]),
    );
    return { ...EMPTY_STATE, first_seen: 0, fields: atVersionOne, dates } as ListingState;
  });

/** About a fifth of the listings are complete, so the generator needs more listings than items. */
const LISTINGS_PER_ITEM = 10;

/** Returns `count` items from hostile listings, in the feeds' order. The same `seed` gives the same items. */
export function hostileItems(count: number, seed: number): Item[] {
  const listings = fc.sample(hostileListing, { numRuns: LISTINGS_PER_ITEM * count, seed });
  const complete = listings.flatMap(
    (listing, number) => deriveItem(`lst-${String(number).padStart(4, '0')}`, listing).item ?? [],
  );
  if (complete.length < count)
    throw new Error(`only ${complete.length} of ${listings.length} listings are complete`);
  return complete
    .slice(0, count)
    .toSorted((a, b) => b.published_at - a.published_at || (a.id < b.id ? -1 : 1));
}

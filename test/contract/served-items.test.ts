import { deriveItem, EMPTY_STATE, type ListingState } from '@vitrine/projector';
import { expect } from 'chai';
import fc from 'fast-check';
import { openApiDocument } from '../../services/query/src/openapi.ts';
import { describedResponses } from './described-responses.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '<b>x</b>', '&lt;', 'São Paulo', '日本', '\0'),
);
const amount = fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constantFrom(0, 0.004, 0.005, 1.005, 320));
/** Valid or not, and full of characters that RFC 3986 forbids. */
const hostilePart = fc.array(fc.oneof(fc.constantFrom('[', ']', '{', '}', '|', '\\', '^', '`', '%', '%zz', '#', '?', '"', '@', 'é'), text), {
  maxLength: 5,
});
const hostileUrl = fc
  .tuple(fc.constantFrom('http://x.com', 'https://münchen.example', 'http://[::1]:8080', 'http://a{b', 'http://@x.com'), hostilePart)
  .map(([site, path]) => `${site}/${path.join('')}`);
const url = fc.oneof(hostileUrl, fc.webUrl({ withQueryParameters: true, withFragments: true }));
const date = fc.integer({ min: 0, max: 400 }).map((days) => new Date(Date.UTC(2027, 0, 1 + days)).toISOString().slice(0, 10));

const fields = fc.record(
  {
    title: text,
    description: text,
    category: text,
    sub_category: text,
    price: amount,
    location: fc.record({ city: text, state: fc.option(text) }),
    provider: fc.record({ name: fc.option(text), slug: fc.option(text) }),
    rating: fc.double({ min: -1, max: 6, noNaN: true }),
    review_count: fc.oneof(fc.nat(), fc.constantFrom(2 ** 31, 2 ** 53 + 1, 1e300)),
    images: fc.array(fc.oneof(url, text), { maxLength: 4 }),
    url,
  },
  { requiredKeys: ['title', 'price', 'location', 'url'] },
);
const dates = fc.dictionary(date, fc.oneof(fc.tuple(fc.constant(1), fc.boolean()), fc.tuple(fc.constant(1), fc.boolean(), amount)), { maxKeys: 5 });

describe('contract: items', () => {
  it('are as the document says, whatever their listings are', () => {
    const { expectSchema } = describedResponses(openApiDocument('/api'));
    let served = 0;
    fc.assert(
      fc.property(fields, dates, (listing, days) => {
        const state = { ...EMPTY_STATE, fields: atVersionOne(listing), dates: days } as ListingState;
        const { item } = deriveItem('lst-1', state);
        if (!item) return;
        served++;
        expectSchema(
          '#/components/schemas/FeedItem',
          JSON.parse(JSON.stringify({ ...item.feed_item, availability: item.calendar })),
          item.feed_item.url,
        );
      }),
      { numRuns: process.env.VITRINE_FULL === '1' ? 20_000 : 1_000 },
    );
    expect(served).to.be.above(100);
  }).timeout(120_000);
});

const atVersionOne = (listing: object) => Object.fromEntries(Object.entries(listing).map(([name, value]) => [name, [1, value]]));

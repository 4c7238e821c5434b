import { expect } from 'chai';
import fc from 'fast-check';
import { type Item, offersOf } from './item.ts';
import { ITEMS_3 } from './item-mapping-3.ts';
import { CURRENT_ITEMS } from './item-mapping-4.ts';
import { ITEM_MAPPING_VERSION, isItemMapping, itemMapping, itemsIndexBody } from './item-mappings.ts';
import { packNights } from './packed-nights.ts';

const dated = (day: number): string =>
  new Date(Date.parse('2026-12-01') + day * 86_400_000).toISOString().slice(0, 10);

const item = (calendar: Item['calendar']): Item => ({
  id: 'a',
  published_at: 7,
  ad_type: 'rent',
  city: 'sao-paulo',
  category: 'casa',
  labels: { city: 'São Paulo', category: 'Casa' },
  title_words: ['casa'],
  point: { lat: 1, lon: 2 },
  feed_item: {
    id: 'a',
    title: 'Casa',
    category: 'casa',
    price: 100,
    currency: 'BRL',
    location: { city: 'São Paulo', country: 'BR' },
    url: 'https://example.com/',
  },
  calendar,
});
const entry = (day: number, price: number, available = true) => ({ date: dated(day), available, price });
const some = item([entry(0, 100), entry(1, 90), entry(2, 80, false), entry(3, 100), entry(4, 90)]);

/** Up to 400 dates with up to 400 prices, many of them equal. */
const anyItem = fc
  .record({ prices: fc.integer({ min: 1, max: 400 }), days: fc.integer({ min: 0, max: 400 }) })
  .chain(({ prices, days }) =>
    fc.array(fc.tuple(fc.integer({ min: 1, max: prices }), fc.boolean()), {
      minLength: days,
      maxLength: days,
    }),
  )
  .map((days) => item(days.map(([price, available], day) => entry(day, price / 100, available))));

describe('items mapping 3', () => {
  it('has one nested document per price, in the order of their first dates', () => {
    expect(ITEMS_3.documentOf(some)).to.deep.equal({
      id: 'a',
      published_at: 7,
      ad_type: 'rent',
      city: 'sao-paulo',
      category: 'casa',
      point: { lat: 1, lon: 2 },
      price: 100,
      labels: { city: 'São Paulo', category: 'Casa' },
      offers: [
        { price: 100, date: [dated(0), dated(3)] },
        { price: 90, date: [dated(1), dated(4)] },
      ],
      title_words: ['casa'],
      feed_item: some.feed_item,
      calendar: some.calendar,
    });
  });

  it('has the documents that release 1.1.0 wrote, to the byte', () =>
    expect(JSON.stringify(ITEMS_3.documentOf(some))).to.equal(
      '{"id":"a","published_at":7,"ad_type":"rent","city":"sao-paulo","category":"casa",' +
        '"point":{"lat":1,"lon":2},"price":100,"labels":{"city":"São Paulo","category":"Casa"},' +
        '"offers":[{"price":100,"date":["2026-12-01","2026-12-04"]},' +
        '{"price":90,"date":["2026-12-02","2026-12-05"]}],"title_words":["casa"],' +
        `"feed_item":${JSON.stringify(some.feed_item)},"calendar":${JSON.stringify(some.calendar)}}`,
    ));

  it('has the mapping that release 1.1.0 created', () =>
    expect(itemsIndexBody(3).mappings).to.deep.equal({
      dynamic: 'strict',
      _meta: { mapping_version: 3 },
      properties: {
        id: { type: 'keyword' },
        published_at: { type: 'long' },
        ad_type: { type: 'keyword' },
        city: { type: 'keyword', ignore_above: 32_766 },
        category: { type: 'keyword', ignore_above: 32_766 },
        sub_category: { type: 'keyword', ignore_above: 32_766 },
        point: { type: 'geo_point' },
        price: { type: 'double' },
        labels: {
          dynamic: 'strict',
          properties: Object.fromEntries(
            ['city', 'category', 'sub_category'].map((name) => [
              name,
              { type: 'keyword', index: false, ignore_above: 256 },
            ]),
          ),
        },
        open_dates: { type: 'keyword', doc_values: false },
        offers: {
          type: 'nested',
          dynamic: 'strict',
          properties: {
            price: { type: 'double', index: false },
            date: { type: 'keyword', doc_values: false, copy_to: ['open_dates'] },
          },
        },
        title_words: { type: 'keyword', doc_values: false },
        feed_item: { type: 'object', enabled: false },
        calendar: { type: 'object', enabled: false },
      },
    }));
});

describe('items mapping 4', () => {
  const located = { city: 'São Paulo', state: 'São Paulo', country: 'BR' } as const;
  const stateless: Item['feed_item'] = some.feed_item;
  const documentOf = (feed_item: Partial<Item['feed_item']>, { calendar } = some) =>
    CURRENT_ITEMS.documentOf({ ...some, calendar, feed_item: { ...stateless, ...feed_item } });

  it('has the members of mapping 3, and those of stays before the served content', () => {
    const document = documentOf({ location: located, rating: 4.8 });
    expect(JSON.stringify(document)).to.equal(
      JSON.stringify({
        ...(({ feed_item: _, calendar: __, ...indexed }) => indexed)(ITEMS_3.documentOf(some)),
        state: 'sp',
        rating: 4.8,
        lowest_night: 90,
        highest_night: 100,
        nights: packNights(some.calendar),
        known_days: [{ gte: 20_788, lte: 20_792 }],
        feed_item: { ...some.feed_item, location: located, rating: 4.8 },
        calendar: some.calendar,
      }),
    );
  });

  it('has no member without a value', () =>
    expect(Object.keys(documentOf({}, item([])))).to.deep.equal(Object.keys(ITEMS_3.documentOf(some))));

  it('has taken dates, but no price, if no date is available', () => {
    const taken = documentOf({}, item([entry(0, 100, false)]));
    expect(taken).to.include.keys('nights', 'known_days');
    expect(taken).not.to.have.any.keys('lowest_night', 'highest_night');
  });

  for (const [text, state] of [
    ['SP', 'sp'],
    ['são  paulo', 'sp'],
    ['Nova York', 'nova-york'],
    ['東京', undefined],
  ] as const)
    it(`has the state ${state} for ${text}`, () =>
      expect(documentOf({ location: { ...located, state: text } }).state).to.equal(state));

  it('has every available date in exactly one nested document, and one document per price', () =>
    fc.assert(
      fc.property(anyItem, (any) => {
        const { offers } = CURRENT_ITEMS.documentOf(any);
        const prices = offersOf(any).map(({ price }) => price);
        expect(offers.map(({ price }) => price)).to.deep.equal([...new Set(prices)]);
        const dates = offers.flatMap(({ date }) => date);
        expect(dates.sort()).to.deep.equal(offersOf(any).map(({ date }) => date));
      }),
    ));

  it('has the content of the item, with one offer per date', () =>
    fc.assert(
      fc.property(anyItem, (any) => {
        const { labels: _, title_words: __, ...content } = any;
        for (const { contentOf, documentOf } of [ITEMS_3, CURRENT_ITEMS])
          expect(contentOf(documentOf(any))).to.deep.equal({ ...content, offers: offersOf(any) });
      }),
    ));

  it('has content even for a document that was written by hand', () =>
    expect(CURRENT_ITEMS.contentOf({ id: 'probe', published_at: 0 } as never)).to.deep.equal({
      id: 'probe',
      published_at: 0,
      offers: [],
    }));

  it('of another version is unknown', () => {
    expect([0, 1, 2, 3, 4, 5, Number.NaN].filter(isItemMapping)).to.deep.equal([3, ITEM_MAPPING_VERSION]);
    expect(itemMapping(3)).to.equal(ITEMS_3);
    expect(itemMapping(4)).to.equal(CURRENT_ITEMS);
    expect(() => itemMapping(5)).to.throw('does not know version 5 of the items mapping');
  });
});

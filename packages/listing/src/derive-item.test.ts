import type { FieldChanges, ListingEvent } from '@vitrine/listing-events';
import { expect } from 'chai';
import { deriveItem, RULES } from './derive-item.ts';
import { fold } from './fold.ts';
import { EMPTY_STATE, type ListingState } from './listing-state.ts';

const complete: FieldChanges = {
  title: 'Casa',
  price: 100,
  location: { city: 'Curitiba' },
  url: 'https://example.com/1',
  published_at: '2026-01-02T03:04:05Z',
};
const state = (fields: FieldChanges, ...more: ListingEvent[]): ListingState =>
  fold(EMPTY_STATE, [
    { kind: 'changed', id: 'a', version: 1, time: 1_000, fields: { ...complete, ...fields } },
    ...more,
  ]);
const derive = (fields: FieldChanges = {}, ...more: ListingEvent[]) =>
  deriveItem('a', state(fields, ...more));
const item = (fields: FieldChanges = {}, ...more: ListingEvent[]) => {
  const derived = derive(fields, ...more);
  if (!derived.item) throw new Error(`hidden: ${derived.hidden}`);
  return derived.item;
};

describe('deriveItem: complete or hidden', () => {
  it('accepts a listing with only the required fields', () =>
    expect(item()).to.deep.equal({
      id: 'a',
      published_at: Date.parse('2026-01-02T03:04:05Z'),
      city: 'curitiba',
      labels: { city: 'Curitiba' },
      title_words: ['casa'],
      feed_item: {
        id: 'a',
        title: 'Casa',
        price: 100,
        currency: 'BRL',
        location: { city: 'Curitiba', country: 'BR' },
        url: 'https://example.com/1',
      },
      calendar: [],
    }));

  const hidden: [what: string, fields: FieldChanges, reason: string][] = [
    ['no title', { title: null }, 'title'],
    ['a title that consists of markup', { title: '<b></b>' }, 'title'],
    ['no price', { price: null }, 'price'],
    ['a price of 0', { price: 0 }, 'price'],
    ['a price that rounds to 0', { price: 0.004 }, 'price'],
    ['no location', { location: null }, 'location'],
    ['no city', { location: { state: 'PR' } }, 'location'],
    ['an empty city', { location: { city: ' ' } }, 'location'],
    ['no url', { url: null }, 'url'],
    ['a bad url', { url: 'ftp://example.com' }, 'url'],
    ['several missing fields: the first in order', { price: null, url: null }, 'price'],
  ];
  for (const [what, fields, reason] of hidden)
    it(`${what}: ${reason}`, () => {
      expect(derive(fields)).to.deep.equal({ hidden: reason });
      expect(RULES.hiddenReason?.(state(fields))).to.equal(reason);
    });

  it('a removed listing: removed', () => {
    const removed = { kind: 'removed', id: 'a', version: 1 } as const;
    expect(derive({}, removed)).to.deep.equal({ hidden: 'removed' });
    expect(RULES.hiddenReason?.(state({}, removed))).to.equal('removed');
  });
  it('a field above the removal: the first missing field', () =>
    expect(
      derive(
        {},
        { kind: 'removed', id: 'a', version: 1 },
        { kind: 'changed', id: 'a', version: 2, fields: { price: 1 } },
      ),
    ).to.deep.equal({
      hidden: 'title',
    }));
  it('a date above the removal: the first missing field', () =>
    expect(
      derive(
        {},
        { kind: 'removed', id: 'a', version: 1 },
        {
          kind: 'availability_changed',
          id: 'a',
          version: 2,
          mode: 'merge',
          dates: [{ date: '2026-01-01', available: true }],
        },
      ),
    ).to.deep.equal({
      hidden: 'title',
    }));
  it('a listing published again is visible again', () =>
    expect(
      derive(
        {},
        { kind: 'removed', id: 'a', version: 1 },
        { kind: 'changed', id: 'a', version: 2, fields: complete },
      ).item,
    ).to.not.equal(undefined));
});

describe('deriveItem: normalization', () => {
  it('rounds money half up to two decimals', () => {
    for (const [price, served] of [
      [10.005, 10.01],
      [1.004, 1],
      [0.005, 0.01],
      [2.675, 2.68],
      [1e12, 1e12],
    ] as const)
      expect(item({ price }).feed_item.price, String(price)).to.equal(served);
  });
  it('category and sub-category are slugs', () =>
    expect(item({ category: 'Imóveis & Cia', sub_category: 'Pé na Areia' })).to.deep.include({
      category: 'imoveis-cia',
      sub_category: 'pe-na-areia',
    }));
  it('a category without a slug is left out', () =>
    expect(item({ category: '★' }).feed_item).to.not.have.property('category'));
  it('serves the city and the state as text, and filters by the slug of the city', () => {
    const { city, feed_item } = item({ location: { city: ' São  Paulo', state: 'SP ' } });
    expect(city).to.equal('sao-paulo');
    expect(feed_item.location).to.deep.equal({ city: 'São Paulo', state: 'SP', country: 'BR' });
  });
  it('serves a city without a slug, which no filter matches', () => {
    const derived = item({ location: { city: '日本' } });
    expect(derived).to.not.have.property('city');
    expect(derived.feed_item.location.city).to.equal('日本');
  });
  it('the provider slug falls back to the name', () => {
    expect(item({ provider: { name: 'Ana & Zé' } }).feed_item.provider).to.deep.equal({
      name: 'Ana & Zé',
      slug: 'ana-ze',
    });
    expect(item({ provider: { name: 'Ana', slug: 'Loja da Ana' } }).feed_item.provider).to.deep.equal({
      name: 'Ana',
      slug: 'loja-da-ana',
    });
    expect(item({ provider: { name: 'Ana', slug: '!!' } }).feed_item.provider).to.deep.equal({
      name: 'Ana',
      slug: 'ana',
    });
    expect(item({ provider: { name: '★' } }).feed_item.provider).to.deep.equal({ name: '★' });
  });
  it('decodes entities once, even in slugs', () => {
    expect(item({ provider: { name: 'Tom &amp;amp; Co' } }).feed_item.provider).to.deep.equal({
      name: 'Tom &amp; Co',
      slug: 'tom-amp-co',
    });
    expect(item({ location: { city: 'A &amp;amp; B' } }).city).to.equal('a-amp-b');
  });
  it('a provider without a name is left out', () =>
    expect(item({ provider: { slug: 'x' } }).feed_item).to.not.have.property('provider'));
  it('a rating outside 0 to 5 is left out', () => {
    expect(item({ rating: 4.87 }).feed_item.rating).to.equal(4.87);
    expect(item({ rating: 0 }).feed_item.rating).to.equal(0);
    for (const rating of [-0.1, 5.01, 1e308])
      expect(item({ rating }).feed_item).to.not.have.property('rating');
  });
  it('a review count that is not an integer from 0 to 2^31-1 is left out', () => {
    for (const review_count of [0, 57, 2 ** 31 - 1])
      expect(item({ review_count }).feed_item.review_count).to.equal(review_count);
    for (const review_count of [2 ** 31, 2 ** 53 + 1, 1e300, -1, 1.5])
      expect(item({ review_count }).feed_item).to.not.have.property('review_count');
  });
  it('drops each invalid or repeated image', () =>
    expect(
      item({
        images: [
          'https://a.example/1',
          'nope',
          'HTTPS://a.example/1',
          'https://a.example/2 x',
          'http://a.example/3',
        ],
      }).feed_item.images,
    ).to.deep.equal(['https://a.example/1', 'http://a.example/3']));
  it('leaves out the images if no images are valid', () =>
    expect(item({ images: ['x'] }).feed_item).to.not.have.property('images'));
  it('absent members are left out, never null', () => {
    const { feed_item } = item({
      description: null,
      category: null,
      provider: null,
      rating: null,
      review_count: null,
      images: null,
      ad_type: null,
    });
    expect(feed_item).to.have.all.keys('id', 'title', 'price', 'currency', 'location', 'url');
  });
  it('uses the time of the first event if published_at is absent', () =>
    expect(item({ published_at: null }).published_at).to.equal(1_000));
  it('ignores a published_at that leaves the years 1 to 9999 in UTC, which states of 1.1.0 may hold', () =>
    expect(item({ published_at: '9999-12-31T23:59:59-03:00' }).published_at).to.equal(1_000));
  for (const [first_seen, served] of [
    ['-000001-06-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['+010000-01-01T02:59:59Z', '9999-12-31T23:59:59.999Z'],
  ] as const)
    it(`serves ${served} if the first event of a state of 1.1.0 has the time ${first_seen}`, () => {
      const stored = { ...state({ published_at: null }), first_seen: Date.parse(first_seen) };
      const { published_at } = deriveItem('a', stored).item ?? {};
      expect(new Date(Number(published_at)).toISOString()).to.equal(served);
    });
  it('leaves out coordinates unless latitude and longitude are present', () => {
    expect(item({ location: { city: 'C', lat: -25.4, lng: -49.3 } }).point).to.deep.equal({
      lat: -25.4,
      lon: -49.3,
    });
    expect(item({ location: { city: 'C', lat: -25.4 } })).to.not.have.property('point');
    expect(item({ location: { city: 'C', lat: 0, lng: 0 } }).point).to.deep.equal({ lat: 0, lon: 0 });
  });

  it('keeps the text of every slug as its label', () => {
    const fields = {
      location: { city: ' São <b>Paulo</b>' },
      category: 'Casa &amp; Jardim',
      sub_category: 'Chalé',
    };
    expect(item(fields).labels).to.deep.equal({
      city: 'São Paulo',
      category: 'Casa & Jardim',
      sub_category: 'Chalé',
    });
    expect(item({ category: '日本', sub_category: ' ' }).labels).to.deep.equal({ city: 'Curitiba' });
  });
});

describe('deriveItem: calendar', () => {
  const dates = (
    ...entries: { date: string; available: boolean; price?: number | null }[]
  ): ListingEvent => ({
    kind: 'availability_changed',
    id: 'a',
    version: 2,
    mode: 'merge',
    dates: entries,
  });
  it("is ascending, and a date without a price, or with a price that rounds to 0, has the item's price", () =>
    expect(
      item(
        {},
        dates(
          { date: '2026-03-02', available: true },
          { date: '2026-03-01', available: false, price: 80.555 },
          { date: '2026-03-03', available: true, price: 0.001 },
        ),
      ).calendar,
    ).to.deep.equal([
      { date: '2026-03-01', available: false, price: 80.56 },
      { date: '2026-03-02', available: true, price: 100 },
      { date: '2026-03-03', available: true, price: 100 },
    ]));
});

import type { FeedItem } from '@vitrine/feed-index';
import { expect } from 'chai';
import type { Listing } from '../agents/listing-source.ts';
import { priceOf, productOf } from './product.ts';

const today = '2026-12-01';
const item: FeedItem = {
  id: 'a',
  title: 'Casa',
  price: 0.29,
  currency: 'BRL',
  location: { city: 'Recife', country: 'BR' },
  url: 'https://example.com/a',
};
const listing: Listing = {
  item,
  labels: {},
  calendar: [
    { date: '2026-12-01', available: true, price: 10.1 },
    { date: '2026-12-02', available: true, price: 20.2 },
    { date: '2026-12-03', available: false, price: 20.2 },
  ],
};

describe('UCP product', () => {
  it('has the title as description, and only the members that the listing has', () => {
    const price = { amount: 29, currency: 'BRL' };
    const [title, description, url] = ['Casa', { plain: 'Casa' }, 'https://example.com/a'];
    expect(productOf(listing, { today })).to.deep.equal({
      id: 'a',
      title,
      description,
      url,
      price_range: { min: price, max: price },
      variants: [{ id: 'a', title, description, price, url }],
      metadata: { location: item.location },
    });
  });

  it('has whole centavos', () => {
    expect([0.29, 1.1, 1_234.56, 19.99, 4.35].map((brl) => priceOf(brl).amount)).to.deep.equal([
      29, 110, 123_456, 1_999, 435,
    ]);
  });

  it('lists category and sub-category once each', () => {
    const of = (category?: string, sub_category?: string) =>
      productOf(
        {
          ...listing,
          item: { ...item, ...(category && { category }), ...(sub_category && { sub_category }) },
        },
        { today },
      ).categories;
    const value = (one: string) => ({ value: one, taxonomy: 'merchant' });
    expect(of('casa', 'inteiro')).to.deep.equal([value('casa'), value('inteiro')]);
    expect(of('casa', 'casa')).to.deep.equal([value('casa')]);
    expect(of(undefined, 'inteiro')).to.deep.equal([value('inteiro')]);
    expect(of()).to.equal(undefined);
  });

  it('states price and availability of the requested dates', () => {
    const stay = { date: '2026-12-01', dateTo: '2026-12-02' };
    const { variants, metadata } = productOf(listing, { today, stay });
    expect(variants[0].availability).to.deep.equal({ available: true });
    expect(metadata.stay).to.deep.equal({
      date: '2026-12-01',
      date_to: '2026-12-02',
      available: true,
      total_price: { amount: 3_030, currency: 'BRL' },
      nightly_prices: [
        { date: '2026-12-01', price: { amount: 1_010, currency: 'BRL' } },
        { date: '2026-12-02', price: { amount: 2_020, currency: 'BRL' } },
      ],
    });
    const longer = productOf(listing, { today, stay: { ...stay, dateTo: '2026-12-04' } });
    expect(longer.variants[0].availability).to.deep.equal({ available: false });
    expect(longer.metadata.stay).to.deep.equal({
      date: '2026-12-01',
      date_to: '2026-12-04',
      available: false,
      unavailable_dates: ['2026-12-03'],
      unknown_dates: ['2026-12-04'],
    });
  });

  it('has a calendar only if it is wanted, and only until its last date', () => {
    expect(productOf(listing, { today }).metadata).not.to.have.property('calendar');
    expect(productOf(listing, { today, calendarUntil: '2026-12-02' }).metadata.calendar).to.deep.equal([
      { from: '2026-12-01', to: '2026-12-01', available: true, price: { amount: 1_010, currency: 'BRL' } },
      { from: '2026-12-02', to: '2026-12-02', available: true, price: { amount: 2_020, currency: 'BRL' } },
    ]);
  });
});

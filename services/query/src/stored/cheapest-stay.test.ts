import { expect } from 'chai';
import { cheapestStay } from './cheapest-stay.ts';

describe('the cheapest stay of a calendar', () => {
  const entry = (date: string, price: number, available = true) => ({ date, available, price });
  const bytes = (entries: object[]) => Buffer.from(JSON.stringify(entries));

  it('is the earliest of equally cheap ones, across a change of the year', () => {
    const calendar = bytes([
      entry('2026-12-30', 100),
      entry('2026-12-31', 90.1),
      entry('2027-01-01', 90.2),
      entry('2027-01-02', 90.1),
    ]);
    expect(cheapestStay(calendar, { first: '2026-12-30', last: '2027-01-02', nights: 2 })).to.deep.equal({
      from: '2026-12-31',
      to: '2027-01-01',
      total_price: 180.3,
    });
  });

  it('contains no taken date, no gap, and no date outside of the window', () => {
    const calendar = bytes([
      entry('2027-01-01', 1),
      entry('2027-01-02', 1, false),
      entry('2027-01-03', 1),
      entry('2027-01-05', 1),
      entry('2027-01-06', 1),
    ]);
    const stay = { first: '2027-01-01', last: '2027-01-05', nights: 2 };
    expect(cheapestStay(calendar, stay)).to.equal(undefined);
    expect(cheapestStay(calendar, { ...stay, last: '2027-01-06' })?.from).to.equal('2027-01-05');
    expect(cheapestStay(bytes([]), stay)).to.equal(undefined);
  });

  it('has a total without binary fractions', () => {
    const total = (prices: readonly number[]) => {
      const dates = prices.map((_, night) => `2027-01-${String(night + 1).padStart(2, '0')}`);
      const calendar = bytes(prices.map((price, night) => entry(dates[night] ?? '', price)));
      const [first = '', last = ''] = [dates.at(0), dates.at(-1)];
      return cheapestStay(calendar, { first, last, nights: prices.length })?.total_price;
    };
    expect(total([0.1, 0.2])).to.equal(0.3);
    expect(total(Array.from({ length: 30 }, () => 1e12 - 0.01))).to.equal(29_999_999_999_999.7);
  });
});

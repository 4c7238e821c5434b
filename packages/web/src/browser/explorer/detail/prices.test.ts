import { expect } from 'chai';
import { freeNights, requestedStay } from './prices.ts';

const night = (date: string, price: number, available = true) => ({ date, price, available });
const CALENDAR = [
  night('2026-12-01', 300),
  night('2026-12-02', 100),
  night('2026-12-03', 100, false),
  night('2026-12-04', 200),
  night('2026-12-05', 100),
  night('2026-12-06', 200),
  // The calendar does not contain the 7th.
  night('2026-12-08', 10),
];
const datesOf = (query: object) => {
  const stay = requestedStay(query);
  return stay && freeNights(CALENDAR, stay)?.map(({ date }) => date.slice(-2));
};

describe('the nights of a stay', () => {
  it('are all dates of the request, or none if one of them is taken or unknown', () => {
    expect(datesOf({ date: '2026-12-01', date_to: '2026-12-02' })).to.deep.equal(['01', '02']);
    expect(datesOf({ date: '2026-12-05' })).to.deep.equal(['05']);
    expect(datesOf({ date: '2026-12-01', date_to: '2026-12-04' })).to.equal(undefined);
    expect(datesOf({ date: '2026-12-06', date_to: '2026-12-08' })).to.equal(undefined);
    expect(datesOf({})).to.equal(undefined);
  });

  it('are the cheapest run of a flexible stay, or the earliest of equally cheap runs', () => {
    const window = { date: '2026-12-01', date_to: '2026-12-08' };
    expect(datesOf({ ...window, nights: 2 })).to.deep.equal(['04', '05']);
    expect(datesOf({ ...window, nights: 1 })).to.deep.equal(['08']);
    expect(datesOf({ ...window, nights: 4 })).to.equal(undefined);
    expect(datesOf({ date: '2026-12-05', nights: 2 })).to.deep.equal(['05', '06']);
  });
});

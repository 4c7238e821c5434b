import type { Availability } from '@vitrine/feed-index';
import { expect } from 'chai';
import fc from 'fast-check';
import { addDays } from '../request/calendar-dates.ts';
import { calendarRanges, closedDates, nearestStays, stayPrice } from './calendar.ts';

const TODAY = '2026-12-30';
const day = (offset: number) => addDays(TODAY, offset);
const entry = (offset: number, price: number, available = true): Availability => ({
  date: day(offset),
  available,
  price,
});
const calendar = [
  entry(0, 100),
  entry(1, 100),
  entry(2, 120.1),
  entry(3, 120.2, false),
  entry(5, 90),
  entry(6, 90),
  entry(7, 90),
];

const anyCalendar = fc
  .array(
    fc.option(fc.record({ available: fc.boolean(), price: fc.integer({ min: 1, max: 3 }) }), {
      nil: undefined,
    }),
    { maxLength: 40 },
  )
  .map((days) => days.flatMap((one, i) => (one ? [{ date: day(i), ...one }] : [])));

describe('the calendar of a listing', () => {
  it('has one range per availability and price, and no range over an unknown date', () =>
    expect(calendarRanges(calendar)).to.deep.equal([
      { from: day(0), to: day(1), available: true, price: 100 },
      { from: day(2), to: day(2), available: true, price: 120.1 },
      { from: day(3), to: day(3), available: false, price: 120.2 },
      { from: day(5), to: day(7), available: true, price: 90 },
    ]));

  it('has the same dates as ranges', () =>
    fc.assert(
      fc.property(anyCalendar, (any) => {
        const dates = calendarRanges(any).flatMap(({ from, to, available, price }) => {
          const of: Availability[] = [];
          for (let date = from; date <= to; date = addDays(date, 1)) of.push({ date, available, price });
          return of;
        });
        expect(dates).to.deep.equal(any);
      }),
    ));
});

describe('a stay', () => {
  it('costs the exact sum of its nights, across a year', () => {
    expect(stayPrice(calendar, { date: day(0), dateTo: day(2) })).to.deep.equal({
      total_price: 320.1,
      nights: [100, 100, 120.1],
    });
    expect(stayPrice(calendar, { date: day(5), dateTo: day(7) })).to.deep.equal({
      total_price: 270,
      each_night: 90,
    });
    expect(stayPrice([entry(0, 0.1), entry(1, 0.2)], { date: day(0), dateTo: day(1) })?.total_price).to.equal(
      0.3,
    );
    expect(stayPrice(calendar, { date: day(0), dateTo: day(0) })).to.deep.equal({
      total_price: 100,
      nights: [100],
    });
  });

  it('is impossible on a taken or past date, and unknown in a gap and after the end of the calendar', () => {
    const stay = { date: day(-1), dateTo: day(9) };
    expect(closedDates(calendar, stay, TODAY)).to.deep.equal({
      unavailable: [day(-1), day(3)],
      unknown: [day(4), day(8), day(9)],
    });
    expect(stayPrice(calendar, stay)).to.equal(undefined);
    expect(closedDates([], { date: day(-1), dateTo: day(0) }, TODAY)).to.deep.equal({
      unavailable: [day(-1)],
      unknown: [day(0)],
    });
    expect(closedDates(calendar, { date: day(0), dateTo: day(2) }, TODAY)).to.deep.equal({
      unavailable: [],
      unknown: [],
    });
  });

  it('has the nearest stays of the same length before and after', () => {
    expect(nearestStays(calendar, { date: day(2), dateTo: day(3) })).to.deep.equal({
      before: { from: day(1), to: day(2), total_price: 220.1 },
      after: { from: day(5), to: day(6), total_price: 180 },
    });
    expect(nearestStays(calendar, { date: day(0), dateTo: day(9) })).to.deep.equal({});
    expect(nearestStays([], { date: day(0), dateTo: day(0) })).to.deep.equal({});
  });

  it('is found in the longest calendar before the test times out', () => {
    // Every second date is taken, so no stay of two nights is free. A calendar has at most 3,660 dates.
    const longest = Array.from({ length: 3_660 }, (_, i) => entry(i, 100 + i, i % 2 === 0));
    for (let start = 0; start < 200; start++)
      expect(nearestStays(longest, { date: day(start), dateTo: day(start + 1) })).to.deep.equal({});
  });

  it('has nearest stays that are free, and no nearer ones', () =>
    fc.assert(
      fc.property(anyCalendar, fc.nat(40), fc.nat(5), (any, start, more) => {
        const stay = { date: day(start), dateTo: day(start + more) };
        const { before, after } = nearestStays(any, stay);
        const isFree = (from: string) =>
          stayPrice(any, { date: from, dateTo: addDays(from, more) }) !== undefined;
        const starts = Array.from({ length: 50 }, (_, i) => day(i)).filter(isFree);
        expect(before?.from).to.equal(starts.findLast((from) => from < stay.date));
        expect(after?.from).to.equal(starts.find((from) => from > stay.date));
      }),
    ));
});

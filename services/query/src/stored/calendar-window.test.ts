import { expect } from 'chai';
import { calendarWindow, lastDateOf } from './calendar-window.ts';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('calendar window', () => {
  const entry = (date: string) => ({ date, available: true, price: 10.5 });
  const days = ['2026-11-30', '2026-12-01', '2026-12-03', '2027-01-01'].map(entry);
  const window = (calendar: object[], first: string, last: string) =>
    JSON.parse(`[${calendarWindow(json(calendar), first, last)}]`) as object[];

  it('contains the dates from the first to the last', () => {
    expect(window(days, '2026-12-01', '2026-12-03')).to.deep.equal(days.slice(1, 3));
    expect(window(days, '2026-12-02', '2028-01-01')).to.deep.equal(days.slice(2));
    expect(window(days, '2000-01-01', '2026-11-30')).to.deep.equal(days.slice(0, 1));
  });

  it('may be empty', () => {
    expect(window(days, '2026-12-02', '2026-12-02')).to.deep.equal([]);
    expect(window([], '2026-12-02', '2026-12-02')).to.deep.equal([]);
  });

  it('is the whole calendar if it has no other dates', () =>
    expect(window(days, '2026-11-30', '2027-01-01')).to.deep.equal(days));

  it('is correct for a calendar in another order or form', () => {
    const strange = days.map(({ date, ...more }) => ({ ...more, date }));
    expect(window(strange, '2026-12-01', '2026-12-03')).to.deep.equal(strange.slice(1, 3));
    expect(window(days.toReversed(), '2026-12-01', '2026-12-03')).to.deep.equal(days.slice(1, 3));
  });
});

describe('last date of a calendar', () => {
  const entry = (date: string) => ({ date, available: false, price: 1 });
  const last = (dates: object[]) => lastDateOf(json(dates));

  it('is the latest date in any order and form', () => {
    expect(last(['2026-12-01', '2027-03-24'].map(entry))).to.equal('2027-03-24');
    expect(last(['2027-03-24', '2026-12-01', '2026-12-02'].map(entry))).to.equal('2027-03-24');
    expect(
      last([
        { price: 1, date: '2026-12-03' },
        { price: 1, date: '2026-12-01' },
      ]),
    ).to.equal('2026-12-03');
  });

  it('is absent without a calendar', () => {
    expect(last([])).to.equal(undefined);
    expect(lastDateOf(Buffer.alloc(0))).to.equal(undefined);
  });
});

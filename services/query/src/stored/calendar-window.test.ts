import { expect } from 'chai';
import { calendarWindow } from './calendar-window.ts';

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

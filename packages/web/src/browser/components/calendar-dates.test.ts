import { expect } from 'chai';
import { addDays, addMonths, daysBetween, nextMonth, weekday, weeksOf } from './calendar-dates.ts';

describe('calendar dates of the pages', () => {
  it('adds days over the end of a month and of a year', () => {
    expect(addDays('2028-02-28', 1)).to.equal('2028-02-29');
    expect(addDays('2026-12-31', 1)).to.equal('2027-01-01');
    expect(daysBetween('2026-12-30', '2027-01-02')).to.equal(3);
  });

  it('moves over the end of a year in both directions', () => {
    expect(nextMonth('2026-12', 1)).to.equal('2027-01');
    expect(nextMonth('2026-01', -1)).to.equal('2025-12');
  });

  it('keeps the day in another month, or takes the last day of a shorter one', () => {
    expect(addMonths('2026-12-15', 1)).to.equal('2027-01-15');
    expect(addMonths('2027-01-31', 1)).to.equal('2027-02-28');
    expect(addMonths('2026-03-31', -1)).to.equal('2026-02-28');
    expect([weekday('2026-11-01'), weekday('2026-11-07')]).to.deep.equal([0, 6]);
  });

  it('lists the weeks of a month from Sunday', () => {
    const weeks = weeksOf('2026-11');
    expect(weeks[0]?.[0]).to.equal('2026-11-01');
    expect(weeks.flat().filter(Boolean)).to.have.lengthOf(30);
    expect(weeks.every((week) => week.length === 7)).to.equal(true);
    expect(weeksOf('2027-02')[0]?.slice(0, 2)).to.deep.equal([undefined, '2027-02-01']);
  });
});

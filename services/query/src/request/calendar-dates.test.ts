import { expect } from 'chai';
import { addDays, datesFrom } from './calendar-dates.ts';

describe('calendar dates', () => {
  it('cross months, leap days and years', () => {
    expect(addDays('2026-12-30', 3)).to.equal('2027-01-02');
    expect(addDays('2028-02-28', 1)).to.equal('2028-02-29');
    expect(addDays('2026-03-01', -1)).to.equal('2026-02-28');
    expect(addDays('2026-03-01', 0)).to.equal('2026-03-01');
  });

  it('stop at the first and last date of YYYY-MM-DD', () => {
    expect(addDays('9999-12-30', 3)).to.equal('9999-12-31');
    expect(addDays('0000-01-02', -3)).to.equal('0000-01-01');
  });

  it('form ranges that include both ends', () => {
    expect(datesFrom('2026-12-31', '2027-01-02')).to.deep.equal(['2026-12-31', '2027-01-01', '2027-01-02']);
    expect(datesFrom('2026-01-01', '2026-01-01')).to.deep.equal(['2026-01-01']);
    expect(datesFrom('2026-01-02', '2026-01-01')).to.deep.equal([]);
  });
});

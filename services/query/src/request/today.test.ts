import { expect } from 'chai';
import { createToday, dateInSaoPaulo } from './calendar-dates.ts';

describe('today', () => {
  it('is the date in America/Sao_Paulo, three hours behind UTC', () => {
    expect(dateInSaoPaulo(new Date('2026-12-01T02:59:59Z'))).to.equal('2026-11-30');
    expect(dateInSaoPaulo(new Date('2026-12-01T03:00:00Z'))).to.equal('2026-12-01');
  });

  describe('by a clock', () => {
    const MIDNIGHT = Date.parse('2026-12-01T03:00:00Z');
    let now = 0;
    const at = (today: () => string, time: number) => {
      now = time;
      return today();
    };

    it('changes in the millisecond of midnight, after any earlier call', () => {
      const today = createToday(() => now);
      expect(
        [-1_000, -999, -1, 0, 1, 999, 86_399_999, 86_400_000].map((ms) => at(today, MIDNIGHT + ms)),
      ).to.deep.equal([
        '2026-11-30',
        '2026-11-30',
        '2026-11-30',
        '2026-12-01',
        '2026-12-01',
        '2026-12-01',
        '2026-12-01',
        '2026-12-02',
      ]);
    });

    it('goes back with a clock that is set back', () => {
      const today = createToday(() => now);
      expect([0, -1, 0].map((ms) => at(today, MIDNIGHT + ms))).to.deep.equal([
        '2026-12-01',
        '2026-11-30',
        '2026-12-01',
      ]);
    });

    it('crosses the end of February and of a year', () => {
      const today = createToday(() => now);
      const nights = ['2028-03-01T03:00:00Z', '2027-01-01T03:00:00Z'].map(Date.parse);
      expect(nights.flatMap((night) => [at(today, night - 1), at(today, night)])).to.deep.equal([
        '2028-02-29',
        '2028-03-01',
        '2026-12-31',
        '2027-01-01',
      ]);
    });
  });
});
